import { AccessError } from '@latchkey/graphql'
import type { HttpResponse } from '@latchkey/http'
import type { PageProvider } from '../../options/sign-in/provider-settings.ts'
import { readFormText } from '../../page-kit/forms/read-form.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { redirect } from '../../page-kit/redirect.ts'
import type { AcceptedCallback } from './accepted-callback.ts'
import { refuseCallback } from './callback-refusals.ts'
import { finishConfirmation } from './finish-confirmation.ts'
import { finishLink } from './finish-link.ts'
import { finishSignIn } from './finish-sign-in.ts'
import { readProviderPath } from './lead-to-provider.ts'
import { namedProvider } from './named-provider.ts'
import { orProviderFailure } from './provider-failure.ts'
import { askFromHere, hidesCookies } from './same-site-page.ts'

/** More than any answer of a provider that the client reads. */
const answerBytes = 20_480

/** Takes a provider's answer, and finishes the sign-in, link or confirmation. */
export const providerCallback: Page = {
  formBytes: answerBytes,
  async show(request, parts) {
    const provider = namedProvider(request, parts)
    // A HEAD request must not use up the callback.
    const mustAskAgain = request.method === 'HEAD' || !parts.providers || hidesCookies(request, parts.providers)
    if (mustAskAgain) return askFromHere(parts, request.target)
    return orProviderFailure(parts, provider, async () => {
      const verdict = await provider.client.finish(request.target, request.headers.get('cookie') ?? null)
      if (verdict.cookie !== null) parts.response.setCookie(verdict.cookie)
      return verdict.ok
        ? finish(parts, provider, { request, verdict, returnTo: readProviderPath(verdict.returnTo, parts.frame) })
        : refuseCallback(parts, provider, verdict)
    })
  },
  /** A post from another site has no cookies, so its content is kept and verified after a redirect, which has them. */
  async take(request, parts) {
    const provider = namedProvider(request, parts)
    await takePlace(parts)
    const posted = await provider.client.receivePost((await readFormText(request)) ?? '')
    return posted.ok
      ? redirect(parts.frame, posted.location)
      : refuseCallback(parts, provider, { ...posted, returnTo: null })
  },
}

/** Limits the posts per address, because any browser can post any state, and the content is kept. */
async function takePlace({ postedLimit, attempt }: PageParts): Promise<void> {
  const taken = await postedLimit().take(attempt().address ?? 'unknown')
  if (taken.ok) return
  const { retryAfterSeconds } = taken
  throw new AccessError('RATE_LIMITED', { retryAfterSeconds, policy: postedLimit().policy })
}

/** Continues the sign-in, link or confirmation that `binding` names. Each use case compares it with the session. */
function finish(parts: PageParts, provider: PageProvider, callback: AcceptedCallback): Promise<HttpResponse> {
  const { binding } = callback.verdict
  if (binding === null) return finishSignIn(parts, provider, callback)
  return binding.startsWith('link:')
    ? finishLink(parts, provider, callback)
    : finishConfirmation(parts, provider, callback)
}
