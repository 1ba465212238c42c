import type { Account } from '@latchkey/accounts'
import { AccessError } from '@latchkey/graphql'
import type { HttpReply } from '@latchkey/http'
import { fill, html } from '../frame/html.ts'
import { createPage, type PageFrame } from '../frame/page.ts'
import type { Page } from '../frame/page-parts.ts'

/** Says who is signed in, and leads to what they can change. */
export const accountPage: Page = {
  async show(_request, { frame, accounts, authorize }) {
    const account = await accounts.get(authorize({ authenticated: true, firstParty: true }).subject)
    // The account was removed after the identity was established.
    if (!account) throw new AccessError('UNAUTHENTICATED')
    return showAccount(frame, account)
  },
}

function showAccount(frame: PageFrame, { name, email }: Account): HttpReply {
  const { texts } = frame
  const [who, where] = [html`<strong>${name}</strong>`, html`<strong>${email}</strong>`]
  const body = html`<p>${fill(texts['account.signed-in-as'], { name: who, email: where })}</p>
<form method="post" action="/sign-out">
<button type="submit" class="quiet">${texts['account.sign-out']}</button>
</form>`
  return createPage(frame, { title: texts['account.title'], body })
}
