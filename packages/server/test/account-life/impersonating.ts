import { allowNativeDelivery } from '@latchkey/accounts'
import type { Bench, BenchOptions } from '../support/bench.ts'
import { createFactorBench, keep, okData, type Person, signInWithBoth, withTotp } from '../support/factor-bench.ts'
import { type Answer, copyOf, type Delivery, type Visitor } from '../support/visitor.ts'

/** The operations of who acts as another account, and a few that the account itself may. */
export const query = {
  start: `mutation ($input: StartImpersonationInput!) { startImpersonation(input: $input) {
    account { id name } expiresAt csrfToken accessToken expiresIn } }`,
  end: 'mutation { endImpersonation }',
  viewer: '{ viewer { id name impersonatedBy } }',
  write: 'mutation { writeNote(text: "hello") }',
  sessions: '{ sessions { id impersonatedBy address userAgent current } }',
} as const

export const reason = 'Ticket 4711: the owner cannot see the drafts'

/** The options of a service in which administrators act as accounts. */
export const on = (options: BenchOptions['options'] = {}): NonNullable<BenchOptions['options']> => ({
  ...options,
  accounts: { impersonation: {}, ...options.accounts },
  sessions: { nativeDelivery: allowNativeDelivery, ...options.sessions },
  graphql: { introspection: 'public' as const, ...options.graphql },
})

/** An administrator who has shown both factors. */
export async function signedInAdmin(bench: Bench, delivery: Delivery = 'SESSION'): Promise<Person> {
  const admin = await withTotp(bench, 'ADMIN')
  okData(await signInWithBoth(admin, delivery))
  return admin
}

export const start = (admin: Visitor, accountId: string, given: object = {}): Promise<Answer> =>
  admin.ask(query.start, { input: { accountId, reason, ...given } })

/** The same visitor, who acts as the account from here on. */
export async function actAs(admin: Person, accountId: string): Promise<Person> {
  const begun = okData(await start(admin, accountId)).startImpersonation
  if (begun.csrfToken !== null) admin.csrfToken = begun.csrfToken
  if (begun.accessToken !== null) keep(admin, begun)
  return admin
}

/** An administrator who acts as the account of an author, and what both had before. */
export async function acting(
  delivery: Delivery = 'SESSION',
  options: BenchOptions['options'] = {},
  make = createFactorBench,
) {
  const bench = make({ options: on(options) })
  const owner = await bench.signedIn('AUTHOR')
  const admin = await signedInAdmin(bench, delivery)
  const before = copyOf(admin, bench.visitor())
  await actAs(admin, owner.account.id)
  return { bench, owner, admin, before, adminId: admin.account.id }
}

/** What a field answers that is its owner's alone. */
export const ownersAlone = [403, 'FORBIDDEN', 'impersonated']

export const whyRefused = ({ status, errors }: Answer) => [
  status,
  errors[0]?.extensions.code,
  errors[0]?.extensions.reason,
]
