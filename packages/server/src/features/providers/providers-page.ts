import { isAccountsError } from '@latchkey/accounts'
import type { LinkedProvider } from '@latchkey/accounts/internal'
import type { HttpResponse } from '@latchkey/http'
import { providerButtons } from '../../page-kit/forms/provider-buttons.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { dateOf } from '../../page-kit/html/date-of.ts'
import { hidden, problem } from '../../page-kit/html/field.ts'
import { fill, type Html, html } from '../../page-kit/html/html.ts'
import { createPage } from '../../page-kit/html/page.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { signedIn } from '../../page-kit/page-rules.ts'
import { redirect } from '../../page-kit/redirect.ts'
import { freshFactor, withFreshProof } from '../step-up/step-up.ts'
import { leadToProvider } from './lead-to-provider.ts'
import { namedProvider } from './named-provider.ts'

const path = '/account/providers'
const proof = { rule: freshFactor(false), returnTo: path } as const

/** Lists the providers that an account is linked to, and lets one be linked or removed. */
export const providersPage: Page = {
  show: (_request, parts) => showProviders(parts),
}

/** Starts a link: the user signs in at the provider. */
export const providerLinking: Page = {
  async take(request, parts) {
    const provider = namedProvider(request, parts)
    return withFreshProof(parts, proof, () => {
      const binding = `link:${parts.authorize(signedIn).key}`
      return leadToProvider(request, parts, provider, { returnTo: path, binding, asking: null })
    })
  },
}

/** Removes a link. One that was removed in the meantime is removed. */
export const providerUnlinking: Page = {
  async take(request, parts) {
    const id = (await readForm(request))?.get('id') ?? ''
    return withFreshProof(parts, proof, async () => {
      try {
        const result = await parts.factorSession.unlinkProvider(id)
        return result?.ok ? redirect(parts.frame, path) : await showProviders(parts, 'provider.gone')
      } catch (error) {
        if (isAccountsError(error) && error.code === 'LAST_SIGN_IN_METHOD')
          return showProviders(parts, 'refusal.LAST_SIGN_IN_METHOD')
        throw error
      }
    })
  },
}

async function showProviders(
  parts: PageParts,
  refused?: 'provider.gone' | 'refusal.LAST_SIGN_IN_METHOD',
): Promise<HttpResponse> {
  const { frame, accounts, authorize, providers } = parts
  const { texts } = frame
  const linked = await accounts.linkedProviders(authorize(signedIn).subject)
  const items = linked.map((link) => itemOf(parts, link))
  const list =
    items.length > 0 ? html`<ul class="applications">\n${items}</ul>` : html`<p>${texts['provider.none']}</p>`
  const buttons = providerButtons(frame, {
    purpose: 'provider.link',
    providers: providers?.byName.values() ?? [],
    returnTo: null,
  })
  const body = html`${problem(refused ? texts[refused] : null)}<p>${texts['provider.why']}</p>
${list}
<h2>${texts['provider.add']}</h2>
${buttons}<p><a href="/account">${texts['second-factor.back']}</a></p>`
  return createPage(frame, { status: refused ? 400 : 200, title: texts['account.providers'], body })
}

function itemOf(parts: PageParts, { id, issuer, createdAt }: LinkedProvider): Html {
  const { frame } = parts
  const { texts } = frame
  return html`<li><strong id="name-${id}">${nameOf(parts, issuer)}</strong>, ${fill(texts['provider.since'], { date: dateOf(frame, createdAt) })}
<form method="post" action="/account/providers/unlink">
${hidden('id', id)}<button type="submit" class="quiet" id="remove-${id}" aria-labelledby="remove-${id} name-${id}">${texts['provider.unlink']}</button>
</form></li>
`
}

/** Returns the label of a provider, or its issuer if it is not configured. */
function nameOf({ providers }: PageParts, issuer: string): string {
  for (const { client, label } of providers?.byName.values() ?? []) if (client.issuer === issuer) return label
  return issuer
}
