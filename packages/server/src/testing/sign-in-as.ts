import type { AccountsEvent, StoredAccount } from '@latchkey/accounts'
import { checkOptionNames, toEvent } from '@latchkey/core/internal'
import type { AnyPolicy } from '@latchkey/rbac'
import type { IssuedSession } from '@latchkey/sessions'
import type { FactorProof } from '@latchkey/store'
import type { SignedInVisitor, TestServer } from './test-server.ts'
import { createTestVisitor, type TestVisitorParts } from './test-visitor.ts'
import { codeAt, stepMs } from './totp-code.ts'

export interface SignInAsParts extends TestVisitorParts {
  /** The number of the account, for its id and name. */
  readonly number: number
}

/** The password of every account, and its hash at the least cost: most tests need no hash to be computed. */
const password = 'otters read quietly at dawn'
const passwordHash = '$argon2id$v=19$m=8,t=1,p=1$JIFAut8iueoE1gqb+QdVKw$RNvrCghAMQUqObjZ68UK9d/AJV86LgG8U7CjTfPaMXo'

/**
 * Inserts an account and opens a session for it, as a sign-in with these factors does, in the cookie of a new browser.
 */
export async function signInAs(
  input: Parameters<TestServer['signedIn']>[0],
  parts: SignInAsParts,
): Promise<SignedInVisitor> {
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
    keptKey: null,
    enrolled: [],
  }
  await plan.options.stores.accounts.insert(stored)
  const enrolled = factors.map(({ kind }) => kind).filter((kind) => !firstKinds.has(kind))
  const secret = enrolled.includes('totp') ? await enrollTotp(parts, stored) : null
  if (enrolled.length > 0) await plan.options.stores.accounts.replace(stored.id, {}, { enrolled })
  const enrollmentSince = plan.options.secondFactor ? plan.now() : null
  const issued = await service.sessions.create({ subject: stored.id, epoch: stored.epoch, factors, enrollmentSince })
  if (issued) {
    jar.keep([plan.cookies.session.write(issued.credential)])
    const facts = await service.accounts.identifySession(issued.session)
    plan.announce(eventOf(issued, facts?.enrollmentDueAt ?? null, plan.now()))
  }
  const account = await service.accounts.get(stored.id)
  if (!account) throw new TypeError('the store of the test server does not keep its accounts')
  const totpCode = async (): Promise<string> => {
    if (secret === null) throw new TypeError('"totpCode" needs "totp" among "factors", and a server that offers it')
    return codeAt(secret, plan.now())
  }
  return { ...createTestVisitor(parts), account, password, totpCode }
}

/** Returns the secret of the app; `null`: the server does not offer it. */
async function enrollTotp(
  { plan, service: { secondFactors } }: SignInAsParts,
  { id, email }: StoredAccount,
): Promise<string | null> {
  const { totp, recoveryCodes } = secondFactors
  if (!totp || !recoveryCodes) return null
  const { secret } = await totp.enroll(id, email)
  // The code of now is left for the test.
  const { ok } = await totp.confirm(id, await codeAt(secret, plan.now() - stepMs))
  if (!ok) throw new TypeError('the "totp" of the server must accept the code of the step before')
  await recoveryCodes.generate(id)
  return secret
}

/** No use case has signed anyone in, so the event of one is made here. */
function eventOf(
  { session: { key: sessionKey, subject: accountId, factors: proven } }: IssuedSession,
  enrollmentDueAt: number | null,
  at: number,
): AccountsEvent {
  const factors = proven.map(({ kind }) => kind)
  const opened = { delivery: 'session', replaced: null, enrollmentDueAt, factors, byRememberedDevice: false } as const
  const from = { channel: 'cookie', ...opened } as const
  return toEvent<AccountsEvent>({ type: 'session.created', accountId, sessionKey, ...from }, at)
}

/** They are shown first, and none of them is enrolled. */
const firstKinds: ReadonlySet<string> = new Set(['password', 'email-code', 'provider'])

const inputNames = { role: true, roles: true, factors: true } as const

function readInput(
  input: Parameters<TestServer['signedIn']>[0],
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
  if (unknown !== undefined) throw new TypeError(`"${unknown}" is not a role of the policy: it has ${known.join(', ')}`)
  return { roles, factors: factors.map((kind) => ({ kind, at })) }
}

function isListOfNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '')
}
