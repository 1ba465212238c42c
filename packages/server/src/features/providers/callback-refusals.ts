import type { HttpResponse } from '@latchkey/http'
import type { PageProvider } from '../../options/sign-in/provider-settings.ts'
import type { PageParts } from '../../page-kit/page-parts.ts'
import { readProviderPath } from './lead-to-provider.ts'
import { type ProviderRefusal, showRefusal } from './refusal-page.ts'

/** The texts for reasons of `@latchkey/oauth/client`. All other reasons show that the answer cannot be used. */
const refusals: Readonly<Record<string, Pick<ProviderRefusal, 'status' | 'text'>>> = {
  ...each(['state', 'expired', 'used', 'malformed', 'redirect-uri'], { status: 400, text: 'provider.lost' }),
  ...each(
    ['access_denied', 'login_required', 'consent_required', 'interaction_required', 'account_selection_required'],
    { status: 401, text: 'provider.denied' },
  ),
  temporarily_unavailable: { status: 503, text: 'provider.unavailable' },
  server_error: { status: 502, text: 'provider.unavailable' },
}

function each<Text>(reasons: readonly string[], text: Text): Readonly<Record<string, Text>> {
  return Object.fromEntries(reasons.map((reason) => [reason, text]))
}

export interface RefusedAnswer {
  readonly reason: string
  readonly detail?: string
  readonly returnTo: string | null
}

/** Returns the page for an answer that has signed no user in at the provider. */
export function refuseCallback(parts: PageParts, provider: PageProvider, refused: RefusedAnswer): HttpResponse {
  const { reason, detail, returnTo } = refused
  const { status, text } = (Object.hasOwn(refusals, reason) && refusals[reason]) || {
    status: 400,
    text: 'provider.invalid',
  }
  const code = detail === undefined ? reason : `${reason}: ${detail}`
  return showRefusal(parts, provider, { status, text, code, returnTo: readProviderPath(returnTo, parts.frame) })
}
