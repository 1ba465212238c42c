import { AccessError } from '@latchkey/graphql'
import type { HttpResponse } from '@latchkey/http'
import { fill, html } from '../../page-kit/html/html.ts'
import { createPage } from '../../page-kit/html/page.ts'
import type { PageParts } from '../../page-kit/page-parts.ts'

/** Shows the account that an administrator acts as, and a button to stop. No other page of the account is available. */
export async function showImpersonation({ frame, accounts, authorize }: PageParts): Promise<HttpResponse> {
  const account = await accounts.get(authorize('authenticated').subject)
  // The account was removed after the identity was established.
  if (!account) throw new AccessError('UNAUTHENTICATED')
  const { texts } = frame
  const [name, email] = [html`<strong>${account.name}</strong>`, html`<strong>${account.email}</strong>`]
  const body = html`<p role="status">${fill(texts['impersonation.acting-as'], { name, email })}</p>
<p>${texts['impersonation.why']}</p>
<form method="post" action="/impersonation/end">
<button type="submit">${texts['impersonation.end']}</button>
</form>`
  return createPage(frame, { title: texts['impersonation.title'], body })
}
