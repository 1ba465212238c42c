import type { HttpResponse } from '@latchkey/http'
import { readProviderFailure } from '../../options/sign-in/provider-client.ts'
import type { PageProvider } from '../../options/sign-in/provider-settings.ts'
import type { PageParts } from '../../page-kit/page-parts.ts'
import { showRefusal } from './refusal-page.ts'

/** Runs `ask`, or returns a page if the provider is not available. */
export async function orProviderFailure(
  parts: PageParts,
  provider: PageProvider,
  ask: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  try {
    return await ask()
  } catch (error) {
    const failure = readProviderFailure(error)
    if (!failure) throw error
    return showRefusal(parts, provider, { ...failure, text: 'provider.unavailable', returnTo: null })
  }
}
