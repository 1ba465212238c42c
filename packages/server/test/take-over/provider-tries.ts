import { type AccountFacts, unknownAttempt } from '@latchkey/accounts'
import type { IdentityFacts } from '@latchkey/accounts/internal'
import type { Answer } from '../support/visitor.ts'
import { provider } from './stolen-account.ts'
import type { Thief } from './thieves.ts'

/** What a provider says of the thief, who is a user of it. */
const verdictOn = ({ held, mailboxes }: Thief, binding: string | null) => ({
  issuer: provider,
  subject: mailboxes.at(-1) ?? '',
  email: mailboxes.at(-1) ?? null,
  emailVerified: true,
  amr: [],
  sid: null,
  authenticatedAt: held.bench.clock.time,
  binding,
})

/** Who the thief is to the service: what a route of an application gets. */
async function identify({ held, visitor }: Thief): Promise<AccountFacts | IdentityFacts | null> {
  const accounts = await held.bench.server.accounts()
  const [, payload] = visitor.bearer?.split('.') ?? []
  if (payload) return accounts.identifyToken(JSON.parse(Buffer.from(payload, 'base64url').toString()))
  return (await accounts.identifyCredential(visitor.jar.get('__Host-session') ?? null))?.facts ?? null
}

/** Links a user of the thief's own, as a route of an application does with a callback that was begun in the session of the thief. */
export async function linkOwnUser(thief: Thief): Promise<Answer> {
  const accounts = await thief.held.bench.server.accounts()
  const identity = await identify(thief)
  if (identity?.kind !== 'account') return answerOf(401, 'UNAUTHENTICATED')
  const verdict = verdictOn(thief, `link:${identity.key}`)
  const linked = await accounts.linkProvider({ ...verdict, identity, attempt: unknownAttempt })
  if (!linked?.ok) return answerOf(401, 'INVALID_CREDENTIALS')
  if (linked.credentials) thief.visitor.jar.set('__Host-session', linked.credentials.credential)
  return answerOf(200, null)
}

/** Signs in with the user of the thief's own. */
export async function signInAsOwnUser(thief: Thief): Promise<Answer> {
  const accounts = await thief.held.bench.server.accounts()
  const verdict = verdictOn(thief, null)
  const signedIn = await accounts.signInWithProvider({ ...verdict, delivery: 'session', attempt: unknownAttempt })
  return signedIn.ok ? answerOf(200, null) : answerOf(401, 'INVALID_CREDENTIALS')
}

function answerOf(status: number, code: string | null): Answer {
  const errors = code === null ? [] : [{ message: code, extensions: { code } }]
  return { status, headers: new Headers(), cookies: [], text: '', data: {}, errors, codes: code === null ? [] : [code] }
}
