import type { EndProviderSessionsInput } from '@latchkey/accounts/internal'
import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { ProviderClient } from '../../options/sign-in/provider-client.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { namedProvider } from './named-provider.ts'
import { orProviderFailure } from './provider-failure.ts'

/** Takes the logout token of a provider (OpenID Connect Back-Channel Logout 1.0 §2.5, §2.8), which no browser sends. */
export const providerLogout: Page = {
  async take(request: HttpRequest, parts) {
    const provider = namedProvider(request, parts)
    const token = (await readForm(request))?.get('logout_token') ?? null
    return orProviderFailure(parts, provider, async () => {
      const verdict = await provider.client.verifyLogoutToken(token, (logout) => endAll(parts, logout))
      if (!verdict.ok) return answer(parts, 400, { error: 'invalid_request', error_description: verdict.reason })
      return answer(parts, 200, null)
    })
  },
}

const tries = 3

/** Retries after a store's failure, because few providers send a logout token again. */
async function endAll(
  { accounts, attempt }: PageParts,
  verdict: Parameters<Parameters<ProviderClient['verifyLogoutToken']>[1]>[0],
): Promise<void> {
  const { issuer, subject, sid } = verdict
  const logout: EndProviderSessionsInput = { issuer, subject, sid, attempt: attempt() }
  for (let made = 1; made < tries; made++) {
    try {
      await accounts.endProviderSessions(logout)
      return
    } catch {
      // The last attempt reports the error.
    }
  }
  await accounts.endProviderSessions(logout)
}

function answer({ frame }: PageParts, status: number, content: object | null): HttpResponse {
  const type = content === null ? [] : ([['Content-Type', 'application/json']] as const)
  const headers = [...type, ['Cache-Control', 'no-store'], ...frame.security.api] as const
  return { status, headers, body: content === null ? null : JSON.stringify(content) }
}
