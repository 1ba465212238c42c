import type { Page } from '../../page-kit/page-parts.ts'
import { redirect } from '../../page-kit/redirect.ts'

/** Revokes the session and the family of the cookies, even if they are no longer valid. */
export const signOutForm: Page = {
  async take(request, { frame, accountSession, cookies, response }) {
    await accountSession.signOut()
    if (cookies.challenge.isSent(request)) response.setCookie(cookies.challenge.clear())
    return redirect(frame, frame.settings.isHomeGiven ? null : '/sign-in')
  },
}
