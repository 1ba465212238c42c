import { type Identified, leave, type Page, setState } from '../state/page.ts'
import type { Found } from '../state/session-fields.ts'
import { toSignedIn } from '../state/session-fields.ts'
import { readOut } from '../state/sign-out.ts'

/** Keeps a token. */
export function keep<User extends Identified>(page: Page<User>, found: Partial<Found<unknown>>): void {
  const { token = null, expiresIn } = found
  /** More seconds than a page lives. */
  const forever = 1e9
  if (page.token === token) return
  page.token = token
  page.expiresAt = performance.now() + (expiresIn || forever) * 1000
  if (page.delivery.renew) page.kept.set('in', '1')
}

/** Sets the state from the current sign-in; `null`: signed out. */
export function settle<User extends Identified>(page: Page<User>, found: Found<User> | null): void {
  const { kept, user } = page
  if (found?.session) {
    keep(page, found)
    setState(page, toSignedIn(found.session))
    return
  }
  const reason = user || kept.get('in') ? 'ended' : 'none'
  page.token = null
  kept.set('in', null)
  leave(page, reason)
}

/** Sends the current sign-in to the other tabs, unless a sign-out waits. */
export function tell<User extends Identified>(page: Page<User>, found: Found<User> | null): void {
  if (readOut(page.kept)) return
  const { token, expiresIn, session } = found ?? {}
  const id = found && (session?.account ?? page.user)?.id
  page.channel?.postMessage?.({ id, ...(page.delivery.renew && { token, expiresIn, at: session?.authenticatedAt }) })
}
