import type { HttpResponse } from '@latchkey/http'
import type { PageProvider } from '../../options/sign-in/provider-settings.ts'
import type { PageParts } from '../../page-kit/page-parts.ts'
import { redirect } from '../../page-kit/redirect.ts'
import type { AcceptedCallback } from './accepted-callback.ts'
import { showRefusal } from './refusal-page.ts'

/** Takes a callback as a fresh proof for the session. */
export async function finishConfirmation(
  parts: PageParts,
  provider: PageProvider,
  { verdict, returnTo }: AcceptedCallback,
): Promise<HttpResponse> {
  const { frame, identity, accountSession } = parts
  const result = identity ? await accountSession.confirmProvider(verdict) : null
  if (result?.ok) return redirect(frame, returnTo)
  const refusal = { status: 401, text: 'provider.not-confirmed', code: 'invalid-credentials', returnTo } as const
  return showRefusal(parts, provider, { ...refusal, offersPassword: identity !== null })
}
