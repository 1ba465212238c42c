import type { HttpResponse } from '@latchkey/http'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { deadLink, type PageLink } from '../../page-kit/html/dead-link.ts'
import { hidden } from '../../page-kit/html/field.ts'
import { fill, html } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'
import type { Page } from '../../page-kit/page-parts.ts'
import { queryParameter } from '../../page-kit/return-path.ts'

/** Once it was used, the account has the address again, and no password. */
const links: readonly PageLink[] = [['dead-link.undone', '/reset']]

/** The page of the link that undoes a change of address. Opening it is safe; its button restores the address. */
export const undoEmailChangePage: Page = {
  async show(request, { frame, accounts, attempt }) {
    const token = queryParameter(request.target, 'token') ?? ''
    const link = await accounts.checkLink({ purpose: 'undo-email-change', token, attempt: attempt() })
    return link.ok ? askToUndo(frame, token, link.formerEmail ?? '') : deadLink(frame, links)
  },
  async take(request, { frame, accounts, attempt }) {
    const token = (await readForm(request))?.get('token') ?? ''
    const undone = await accounts.undoEmailChange({ token, attempt: attempt() })
    return undone.ok ? showUndone(frame, undone.account.email) : deadLink(frame, links)
  },
}

/** Explains the button first, because its effect cannot be undone. */
function askToUndo(frame: PageFrame, token: string, email: string): HttpResponse {
  const { texts } = frame
  const body = html`<p>${fill(texts['undo-email.what'], { email: html`<strong>${email}</strong>` })}</p>
<p>${texts['undo-email.then']}</p>
<form method="post" action="/undo-email-change">
${hidden('token', token)}<button type="submit">${texts['undo-email.submit']}</button>
</form>`
  return createPage(frame, { title: texts['undo-email.title'], body })
}

function showUndone(frame: PageFrame, email: string): HttpResponse {
  const { texts } = frame
  const body = html`<p>${fill(texts['email-undone.text'], { email: html`<strong>${email}</strong>` })}</p>
<p><a href="/reset">${texts['reset-asked.again']}</a></p>`
  return createPage(frame, { title: texts['email-undone.title'], body })
}
