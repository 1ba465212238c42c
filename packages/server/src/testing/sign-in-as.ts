import type { Account, StoredAccount } from '@latchkey/accounts'
import { checkOptionNames } from '@latchkey/options'
import type { AnyPolicy } from '@latchkey/rbac'
import type { FactorProof } from '@latchkey/store'
import { createTestVisitor, type TestVisitor, type TestVisitorParts } from './test-visitor.ts'

/** Who signs in: an account of its own each time. */
export type SignInAs = ({ readonly role: string } | { readonly roles: readonly string[] }) & {
  /** What was shown at sign-in, just now: `password`, `totp`, `passkey`, `recovery-code`, … `['password']` unless told. */
  readonly factors?: readonly string[]
}

/** Somebody with an account, who has signed in. */
export interface SignedInVisitor extends TestVisitor {
  readonly account: Account
  /** The account's password, to sign in with again. */
  readonly password: string
}

export interface SignInAsParts extends TestVisitorParts {
  /** How many there are, for the name. */
  readonly number: number
}

/** The password of everybody, and its hash at the least cost: most tests need neither to be computed. */
const password = 'otters read quietly at dawn'
const passwordHash = '$argon2id$v=19$m=8,t=1,p=1$JIFAut8iueoE1gqb+QdVKw$RNvrCghAMQUqObjZ68UK9d/AJV86LgG8U7CjTfPaMXo'

/**
 * Puts an account into the store and opens a session for it, as a sign-in with these factors does, in the cookie of a new
 * browser.
 */
export async function signInAs(input: SignInAs, parts: SignInAsParts): Promise<SignedInVisitor> {
  const { plan, service, jar, number } = parts
  const { roles, factors } = readInput(input, plan.policy, plan.now())
  const stored: StoredAccount = {
    id: `acc_test_${number}`,
    email: `person-${number}@example.com`,
    name: `Person ${number}`,
    roles,
    status: 'active',
    passwordHash,
    epoch: 0,
  }
  await plan.options.stores.accounts.insert(stored)
  const issued = await service.sessions.create({ subject: stored.id, epoch: stored.epoch, factors })
  if (issued) jar.keep([plan.cookies.session.write(issued.credential)])
  const account = await service.accounts.get(stored.id)
  if (!account) throw new TypeError('the store of the test server does not keep its accounts')
  return { ...createTestVisitor(parts), account, password }
}

const inputNames = { role: true, roles: true, factors: true } as const

function readInput(
  input: SignInAs,
  policy: AnyPolicy,
  at: number,
): { readonly roles: readonly string[]; readonly factors: readonly FactorProof[] } {
  checkOptionNames<{ role?: string; roles?: readonly string[]; factors?: readonly string[] }>(
    'signedIn',
    input,
    inputNames,
  )
  const { factors = ['password'] } = input
  const roles = 'roles' in input ? input.roles : [input.role]
  if (('role' in input && 'roles' in input) || !isListOfNames(roles)) {
    throw new TypeError('signedIn takes "role" or "roles", by name')
  }
  if (!isListOfNames(factors)) throw new TypeError('"factors" must be a list of kinds such as "password"')
  const known = Object.keys(policy.currentRoles())
  const unknown = roles.find((role) => !known.includes(role))
  if (unknown !== undefined) throw new TypeError(`"${unknown}" is no role of the policy: it has ${known.join(', ')}`)
  return { roles, factors: factors.map((kind) => ({ kind, at })) }
}

function isListOfNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '')
}
