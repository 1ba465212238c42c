import type { Page } from '../../page-kit/page-parts.ts'
import { redirect } from '../../page-kit/redirect.ts'

/** Stops the impersonation. If it has stopped already, for example in another window, the redirect is the same. */
export const impersonationEnd: Page = {
  async take(_request, { frame, accountSession }) {
    await accountSession.endImpersonation()
    return redirect(frame, '/sign-in')
  },
}
