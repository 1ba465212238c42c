import type { EmailChangeConfirmed, LinkValid } from '@latchkey/accounts/internal'
import type { HttpResponse } from '@latchkey/http'
import { signInLink } from '../../page-kit/destination.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { deadLink, type PageLink } from '../../page-kit/html/dead-link.ts'
import { hidden } from '../../page-kit/html/field.ts'
import { fill, html, nothing } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'
import type { Page } from '../../page-kit/page-parts.ts'
import { queryParameter } from '../../page-kit/return-path.ts'

/** The page for users of a dead link: after a sign-in, they can request the change again. */
const links: readonly PageLink[] = [['dead-link.email', '/account/email']]

/** The page of the link that confirms a change of address. Opening it is safe; its button confirms the change. */
export const confirmEmailChangePage: Page = {
  async show(request, { frame, accounts, attempt }) {
    const token = queryParameter(request.target, 'token') ?? ''
    const link = await accounts.checkLink({ purpose: 'confirm-email-change', token, attempt: attempt() })
    return link.ok ? askToConfirm(frame, token, link) : deadLink(frame, links)
  },
  async take(request, { frame, accounts, attempt }) {
    const token = (await readForm(request))?.get('token') ?? ''
    const confirmed = await accounts.confirmEmailChange({ token, attempt: attempt() })
    return confirmed.ok ? showConfirmed(frame, confirmed) : deadLink(frame, links)
  },
}

function askToConfirm(frame: PageFrame, token: string, { newEmail = '', needsBoth = false }: LinkValid): HttpResponse {
  const { texts } = frame
  const body = html`<p>${fill(texts['confirm-email.what'], { email: html`<strong>${newEmail}</strong>` })}</p>
${needsBoth ? html`<p>${texts['confirm-email.both']}</p>\n` : nothing}<form method="post" action="/confirm-email-change">
${hidden('token', token)}<button type="submit">${texts['confirm-email.submit']}</button>
</form>`
  return createPage(frame, { title: texts['confirm-email.title'], body })
}

function showConfirmed(frame: PageFrame, { isChanged, account: { email } }: EmailChangeConfirmed): HttpResponse {
  const { texts } = frame
  if (!isChanged) {
    const body = html`<p>${texts['half-confirmed.text']}</p>`
    return createPage(frame, { title: texts['half-confirmed.title'], body })
  }
  const body = html`<p>${fill(texts['email-confirmed.text'], { email: html`<strong>${email}</strong>` })}</p>
${signInLink(null, texts['email-confirmed.sign-in'])}`
  return createPage(frame, { title: texts['email-confirmed.title'], body })
}
