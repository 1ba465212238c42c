import type { Accounts } from '@latchkey/accounts'
import type { ForgeryCheck } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import type { ListedSession, Sessions } from '@latchkey/sessions'
import type { AccountSession } from './account-session.ts'

interface CurrentParts {
  readonly base: { readonly identity: Identity | null }
  readonly accounts: Pick<Accounts, 'get'>
  readonly sessions: Sessions
  readonly forgery: ForgeryCheck
  readonly now: () => number
}

/** Returns the sign-in of a request's identity, with its current account. */
export async function current(parts: CurrentParts): ReturnType<AccountSession['current']> {
  const { base, accounts, sessions, forgery, now } = parts
  if (base.identity?.kind !== 'account' || base.identity.key === null) return null
  const { subject, key, via, factors, mustEnroll, impersonator } = base.identity
  const [opened, account] = await Promise.all([sessions.find(subject, key), accounts.get(subject)])
  const signIn = opened && (await findSignIn(sessions, subject, opened))
  if (!signIn || !account) return null
  const time = now()
  // The request is a use of its session, which may not be written yet.
  const usedAt = opened.kind === 'session' ? signIn.lastUsedAt : time
  const lastProofAt = Math.max(...factors.map(({ at }) => at), 0) || signIn.createdAt
  return {
    account,
    csrfToken: via === 'cookie' ? forgery.createToken(key) : null,
    expiresIn: secondsOf(signIn.endsAt - time),
    idleExpiresIn: secondsOf(Math.min(signIn.expiresAt - usedAt, signIn.endsAt - time)),
    authenticatedAt: new Date(lastProofAt).toISOString(),
    factors: factors.map(({ kind }) => kind),
    mustEnroll,
    impersonatedBy: impersonator,
  }
}

/** The family of a client without a refresh token expires with its access token, but its user stays signed in. */
async function findSignIn(sessions: Sessions, subject: string, opened: ListedSession): Promise<ListedSession | null> {
  if (opened.session === null) return opened
  const listed = await sessions.list(subject)
  return listed.find(({ kind, lineage }) => kind === 'session' && lineage === opened.session) ?? null
}

function secondsOf(milliseconds: number): number {
  return Math.max(0, Math.floor(milliseconds / 1000))
}
