import { isAccountsError } from '@latchkey/accounts'
import type { HttpResponse } from '@latchkey/http'
import type { PageProvider } from '../../options/sign-in/provider-settings.ts'
import type { PageParts } from '../../page-kit/page-parts.ts'
import { redirect } from '../../page-kit/redirect.ts'
import type { AcceptedCallback } from './accepted-callback.ts'
import { showRefusal } from './refusal-page.ts'

/** Links whom a provider names to the account that is signed in. */
export async function finishLink(
  parts: PageParts,
  provider: PageProvider,
  { verdict, returnTo }: AcceptedCallback,
): Promise<HttpResponse> {
  const { frame, identity, factorSession } = parts
  const lost = { status: 401, text: 'provider.not-linked', code: 'invalid-credentials', returnTo } as const
  if (!identity) return showRefusal(parts, provider, lost)
  try {
    const result = await factorSession.linkProvider(verdict)
    return result.ok ? redirect(frame, returnTo) : showRefusal(parts, provider, lost)
  } catch (error) {
    if (!isAccountsError(error) || error.code !== 'PROVIDER_IN_USE') throw error
    return showRefusal(parts, provider, { ...lost, status: 403, text: 'refusal.PROVIDER_IN_USE', code: error.code })
  }
}
