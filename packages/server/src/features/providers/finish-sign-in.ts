import { isAccountsError } from '@latchkey/accounts'
import type { HttpResponse } from '@latchkey/http'
import type { PageProvider } from '../../options/sign-in/provider-settings.ts'
import { readDestination } from '../../page-kit/destination.ts'
import { forgetReached } from '../../page-kit/kept-return-to.ts'
import { nextUrl } from '../../page-kit/next-url.ts'
import type { PageParts } from '../../page-kit/page-parts.ts'
import { redirect } from '../../page-kit/redirect.ts'
import { withReturn } from '../../page-kit/return-path.ts'
import { writePendingStep } from '../../service/account-session/pending-step.ts'
import type { AcceptedCallback } from './accepted-callback.ts'
import { showRefusal } from './refusal-page.ts'

/** Signs in the user of a provider, then continues as after a password. */
export async function finishSignIn(
  parts: PageParts,
  provider: PageProvider,
  { request, verdict, returnTo }: AcceptedCallback,
): Promise<HttpResponse> {
  const { frame, accountSession, cookies, response } = parts
  // A store that fails once the session is replaced would keep the new cookie from the browser.
  const { asking } = await readDestination(request, parts, returnTo)
  try {
    const result = await accountSession.signInWithProvider(verdict)
    if (!result.ok) {
      return showRefusal(parts, provider, { status: 401, text: 'provider.unlinked', code: result.reason, returnTo })
    }
    if (result.status === 'second-factor-required') {
      response.setCookie(cookies.challenge.write(writePendingStep(result)))
      return redirect(frame, withReturn('/second-factor', returnTo))
    }
    forgetReached(request, parts, returnTo)
    return redirect(frame, nextUrl(result, returnTo, asking))
  } catch (error) {
    if (!isAccountsError(error) || (error.code !== 'EMAIL_IN_USE' && error.code !== 'EMAIL_UNVERIFIED')) throw error
    return showRefusal(parts, provider, { status: 403, text: `refusal.${error.code}`, code: error.code, returnTo })
  }
}
