import { type AccountsError, isAccountsError } from '@latchkey/accounts'
import type { HttpReply } from '@latchkey/http'
import { explainRefusal } from '../../accounts-schema/explain-refusal.ts'
import { field, hidden, problem } from '../field.ts'
import { html } from '../html.ts'
import { createPage, type PageFrame } from '../page.ts'
import type { Page } from '../page-parts.ts'
import { readForm } from '../read-form.ts'
import { queryParameter } from '../return-path.ts'
import { deadLink } from './dead-link.ts'

/** Behind the link of a reset: its form sets a new password. A password that is refused keeps the link. */
export const resetPage: Page = {
  async show(request, { frame, accounts, attempt }) {
    const token = queryParameter(request.target, 'token') ?? ''
    const { ok } = await accounts.checkLink({ purpose: 'reset-password', token, attempt: attempt() })
    return ok ? askForPassword(frame, token, null) : deadLink(frame)
  },
  async take(request, { frame, accountSession }) {
    const form = await readForm(request)
    const [token, newPassword] = [form?.get('token') ?? '', form?.get('password') ?? '']
    try {
      const { ok } = await accountSession.resetPassword({ token, newPassword })
      return ok ? passwordChanged(frame) : deadLink(frame)
    } catch (error) {
      if (isAccountsError(error)) return askForPassword(frame, token, error)
      throw error
    }
  },
}

function askForPassword(frame: PageFrame, token: string, refused: AccountsError | null): HttpReply {
  const { texts } = frame
  const password = field({
    name: 'password',
    label: texts['reset.password'],
    type: 'password',
    autocomplete: 'new-password',
    isWrong: refused !== null,
    isFirst: true,
  })
  const body = html`${problem(refused && explainRefusal(refused, texts))}<form method="post" action="/reset">
${hidden('token', token)}${password}<button type="submit">${texts['reset.submit']}</button>
</form>`
  return createPage(frame, { status: refused ? 400 : 200, title: texts['reset.title'], body })
}

function passwordChanged(frame: PageFrame): HttpReply {
  const { texts } = frame
  const body = html`<p>${texts['reset-done.text']}</p>
<p><a href="/sign-in?return_to=%2Faccount">${texts['reset-done.sign-in']}</a></p>`
  return createPage(frame, { title: texts['reset-done.title'], body })
}
