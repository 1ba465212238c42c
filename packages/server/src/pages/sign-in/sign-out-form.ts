import type { Page } from '../frame/page-parts.ts'
import { redirect } from '../frame/redirect.ts'
import { withReturn } from '../frame/return-path.ts'

/** Ends the session and the family of the cookies, whether or not they are still valid. */
export const signOutForm: Page = {
  async take(_request, { frame, accountSession }) {
    await accountSession.signOut()
    return redirect(frame, withReturn('/sign-in', '/account'))
  },
}
