import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { PageProvider } from '../../options/sign-in/provider-settings.ts'
import { formTargetsOf } from '../../page-kit/asking-client.ts'
import { readDestination } from '../../page-kit/destination.ts'
import { providerButtons } from '../../page-kit/forms/provider-buttons.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { html, nothing } from '../../page-kit/html/html.ts'
import { createPage } from '../../page-kit/html/page.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { authenticatedRule } from '../../page-kit/page-rules.ts'
import { queryParameter, withReturn } from '../../page-kit/return-path.ts'
import { leadToProvider } from './lead-to-provider.ts'
import { namedProvider } from './named-provider.ts'

/** Offers providers for a fresh proof if the account has no password, then redirects to `return_to`. */
export const confirmProviderPage: Page = {
  show: askForProvider,
}

/** Starts the confirmation at a provider. */
export const confirmWith: Page = {
  async take(request, parts) {
    const provider = namedProvider(request, parts)
    const { key } = parts.authorize(authenticatedRule)
    const { returnTo, asking } = await readDestination(request, parts, (await readForm(request))?.get('return_to'))
    return leadToProvider(request, parts, provider, { returnTo, asking, binding: `confirm:${key}`, isAgain: true })
  },
}

async function askForProvider(request: HttpRequest, parts: PageParts): Promise<HttpResponse> {
  const { frame, accounts, authorize, offers } = parts
  const { texts } = frame
  const { subject } = authorize(authenticatedRule)
  const { returnTo, asking } = await readDestination(request, parts, queryParameter(request.target, 'return_to'))
  const linked = new Set((await accounts.linkedProviders(subject)).map(({ issuer }) => issuer))
  const buttons = providerButtons(frame, {
    purpose: 'provider.confirm',
    providers: fittingProviders(parts, linked),
    returnTo,
  })
  const byCode = html`<li><a href="${withReturn('/sign-in-code', returnTo)}">${texts['sign-in.by-code']}</a></li>\n`
  const body = html`<p>${texts['provider.confirm-why']}</p>
${buttons}<ul>
${offers.emailCode ? byCode : nothing}<li><a href="/account">${texts['second-factor.back']}</a></li>
</ul>`
  return createPage(frame, { title: texts['second-factor.title'], body, formTargets: formTargetsOf(asking) })
}

/**
 * Returns the providers that the account is linked with, or all: an issuer does not identify a provider with many
 * issuers.
 */
function fittingProviders({ providers }: PageParts, linked: ReadonlySet<string>): readonly PageProvider[] {
  const all = [...(providers?.byName.values() ?? [])]
  const fitting = all.filter(({ client }) => linked.has(client.issuer))
  return fitting.length > 0 ? fitting : all
}
