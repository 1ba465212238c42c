import { type AuthError, isUnanswered } from '../errors.ts'
import { withLock } from '../platform/with-lock.ts'
import { ask } from '../requests/ask.ts'
import type { Identified, Page } from '../state/page.ts'
import type { Found } from '../state/session-fields.ts'
import { type Session, sessionFields } from '../state/session-fields.ts'
import { readOut, type SignOut } from '../state/sign-out.ts'
import { keep, tell } from './credential.ts'

/**
 * Returns the current sign-in; `null`: signed out; `undefined`: a message of another tab has the sign-in. A sign-out that waits
 * is sent first.
 */
export async function find<User extends Identified>(
  page: Page<User>,
  stale?: string | null,
): Promise<Found<User> | null | undefined> {
  const { kept, token } = page
  const out = readOut(kept)
  if (!out) return findSignIn(page, stale)
  const found = token && (await isSignedOut(page, out.everywhere, token)) ? null : await findSignIn(page, token)
  const isOther = found?.session && isAnother(page, found.session, out)
  if (found && !isOther) await isSignedOut(page, out.everywhere, found.token)
  kept.set('out', null)
  return isOther ? found : null
}

async function findSignIn<User extends Identified>(
  page: Page<User>,
  stale?: string | null,
): Promise<Found<User> | null | undefined> {
  const { delivery, token } = page
  const { renew } = delivery
  const looked = (!renew || (token && token !== stale)) && (await lookUp(page, token))
  if (looked || !renew || !delivery.mayRenew?.()) return looked || null
  const found = await withLock(page.name, async () => {
    if (page.token !== token) return undefined
    const renewed = await renew(page)
    if (renewed && page.token === token) {
      keep(page, renewed)
      tell(page, renewed)
    }
    return renewed
  })
  return found && !found.session ? lookUp(page, found.token) : found
}

/** Queries the session of an access token or, in the delivery `session`, the session of the cookie. */
async function lookUp<User extends Identified>(page: Page<User>, shown: string | null): Promise<Found<User> | null> {
  const token = page.delivery.renew ? shown : null
  const query = `{${sessionFields(page.userFields)}}`
  const { session } = await ask<{ readonly session: Session<User> | null }, User>(page, query, token)
  return session && { token: token ?? session.csrfToken, session }
}

/** Signs out at the service. Returns whether the user was signed in. */
async function isSignedOut<User extends Identified>(
  page: Page<User>,
  everywhere: boolean,
  token: string | null,
): Promise<boolean> {
  try {
    const query = `mutation{${everywhere ? 'revokeAllSessions ' : ''}signOut}`
    return (await ask<{ readonly signOut: boolean }, User>(page, query, token)).signOut
  } catch (error) {
    if (isUnanswered(error as AuthError)) throw error
    return everywhere && isSignedOut(page, false, token)
  }
}

/** Whether a session is not the one to sign out: it has another user, or, if an earlier page has signed out, a later proof. */
function isAnother<User extends Identified>(
  { isLeaving }: Page<User>,
  { account, authenticatedAt }: Session<User>,
  { id, at }: SignOut,
): boolean {
  return (!!id && account.id !== id) || (!isLeaving && !!at && authenticatedAt !== at)
}
