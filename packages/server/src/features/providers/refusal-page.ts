import type { HttpResponse } from '@latchkey/http'
import type { PageProvider } from '../../options/sign-in/provider-settings.ts'
import { fill, type Html, html, nothing } from '../../page-kit/html/html.ts'
import { createPage } from '../../page-kit/html/page.ts'
import type { PageParts } from '../../page-kit/page-parts.ts'
import { withReturn } from '../../page-kit/return-path.ts'
import type { TextsOf } from '../../page-kit/texts/texts-of.ts'

export interface ProviderRefusal {
  readonly status: number
  readonly text: keyof TextsOf<'provider' | 'refusal'>
  /** The code of the refusal, as the packages document it. */
  readonly code: string
  /** The destination of the browser; `null`: the application's home. */
  readonly returnTo: string | null
  /** Offers to set a password by a mail. */
  readonly offersPassword?: boolean
}

/** Returns the page that explains why a provider did not sign in the user, with the next steps. */
export function showRefusal(parts: PageParts, { label }: PageProvider, refusal: ProviderRefusal): HttpResponse {
  const { frame, identity } = parts
  const { texts } = frame
  const { status, text, code, returnTo, offersPassword = false } = refusal
  const signUp = text === 'refusal.EMAIL_UNVERIFIED' && parts.offers.signUp
  const body = html`<p class="problem" role="alert">${fill(texts[text], { provider: label })}</p>
<ul>
${identity ? item('/account', texts['second-factor.back']) : item(withReturn('/sign-in', returnTo), texts['provider.other-way'])}${
  signUp ? item(withReturn('/sign-up', returnTo), texts['sign-in.sign-up']) : nothing
}${offersPassword ? item('/reset', texts['provider.set-password']) : nothing}</ul>
<p class="hint">${fill(texts['provider.code'], { code: html`<code>${code}</code>` })}</p>`
  const headers = status === 503 ? ([['Retry-After', '5']] as const) : []
  return createPage(frame, { status, title: texts['provider.refused'], body, headers })
}

function item(path: string, text: string): Html {
  return html`<li><a href="${path}">${text}</a></li>\n`
}
