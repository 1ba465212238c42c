import type { AuthorizationPages } from '../../options/oauth/authorization-server.ts'
import { type FrameParts, frameFor } from '../../page-kit/html/page.ts'
import { logoutPage } from './logout-page.ts'
import { requestErrorPage } from './request-error-page.ts'

/** Returns the pages of the authorization server: paths of redirects, and the pages that it shows itself. */
export function createAuthorizationPages(look: FrameParts): AuthorizationPages {
  return {
    pages: { signIn: '/sign-in', consent: '/consent', device: '/device' },
    errorPage: (error, request) => requestErrorPage(frameFor(request, look), error),
    logoutPage: (logout, request) => logoutPage(frameFor(request, look), logout),
  }
}
