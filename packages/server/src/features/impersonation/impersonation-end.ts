import type { Page } from '../../page-kit/page-parts.ts'
import { redirect } from '../../page-kit/redirect.ts'

/** Ends it. Who has ended it in another window, or was ended, comes to the same place. */
export const impersonationEnd: Page = {
  async take(_request, { frame, accountSession }) {
    await accountSession.endImpersonation()
    return redirect(frame, '/sign-in')
  },
}
