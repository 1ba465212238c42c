import { type AuthError, isUnanswered } from '../errors.ts'
import type { Kept } from '../platform/open-storage.ts'
import { pause } from '../platform/time.ts'
import { withLock } from '../platform/with-lock.ts'
import type { Session } from '../state/session-fields.ts'
import type { Ask, Delivery, Found } from './delivery.ts'
import { readOut, type SignOut } from './sign-out.ts'

const messageMs = 50

interface Parts<User> {
  readonly name: string
  /** The document of the query for the session. */
  readonly query: string
  readonly ask: Ask
  readonly delivery: Delivery<User>
  readonly kept: Kept
  token(): string | null
  /** Whether the user has just signed out on this page. */
  isLeaving(): boolean
  /** Keeps what a renewal has brought, and tells the other tabs. */
  keep(found: Found<User>): void
}

/** Returns the current sign-in; `null`: signed out; `undefined`: a message of another tab has the sign-in. */
export type Find<User> = (stale?: string | null) => Promise<Found<User> | null | undefined>

/** Creates what asks the service who is there. A sign-out that waits is sent first. */
export function createFinder<User extends { readonly id: string }>({
  name,
  query,
  ask,
  delivery,
  kept,
  token,
  isLeaving,
  keep,
}: Parts<User>): Find<User> {
  const { renew, mayRenew = () => kept.get('in') !== null } = delivery
  const lookUp = async (shown: string | null): Promise<Found<User> | null> => {
    const { session } = await ask<{ readonly session: Session<User> | null }>(query, shown)
    return session && { token: renew ? shown : session.csrfToken, session }
  }
  const find: Find<User> = async (stale) => {
    const shown = token()
    const looked = (!renew || (shown && shown !== stale)) && (await lookUp(shown))
    if (looked || !renew || !mayRenew()) return looked || null
    const rotate = async (waited: boolean): ReturnType<Find<User>> => {
      if (waited) await pause(messageMs)
      if (token() !== shown) return undefined
      const found = await renew(ask)
      if (found && token() === shown) keep(found)
      return found
    }
    const found = await withLock(name, rotate)
    return found && !found.session ? lookUp(found.token) : found
  }
  const isOut = async (everywhere: boolean, shown: string | null): Promise<boolean> => {
    try {
      const fields = everywhere ? 'revokeAllSessions signOut' : 'signOut'
      return (await ask<{ readonly signOut: boolean }>(`mutation{${fields}}`, shown)).signOut
    } catch (error) {
      if (isUnanswered(error as AuthError)) throw error
      return everywhere && isOut(false, shown)
    }
  }
  /** Whether a session is not the one to sign out: it has another user, or, if an earlier page has signed out, a later proof. */
  const isAnother = ({ account, authenticatedAt }: Session<User>, { id, at }: SignOut): boolean =>
    (id !== undefined && account.id !== id) || (!isLeaving() && at !== null && authenticatedAt !== at)
  return async (stale) => {
    const out = readOut(kept)
    if (!out) return find(stale)
    const shown = token()
    const found = shown && (await isOut(out.everywhere, shown)) ? null : await find(shown)
    const isOther = found?.session && isAnother(found.session, out)
    if (found && !isOther) await isOut(out.everywhere, found.token)
    kept.set('out', null)
    return isOther ? found : null
  }
}
