import { type AccountsError, isAccountsError } from '@latchkey/accounts'
import type { HttpReply } from '@latchkey/http'
import { explainRefusal } from '../../accounts-schema/explain-refusal.ts'
import { field, hidden, problem } from '../field.ts'
import { html } from '../html.ts'
import { createPage, type PageFrame } from '../page.ts'
import type { Page } from '../page-parts.ts'
import { readForm } from '../read-form.ts'
import { redirect } from '../redirect.ts'
import { queryParameter, withReturn } from '../return-path.ts'
import { writePendingStep } from '../sign-in/pending-step.ts'
import { deadLink } from './dead-link.ts'
import { askForAddress, requestReset } from './reset-request.ts'

/**
 * Asks who has forgotten the password for the address, and without a link for nothing else. Behind the link of the mail its form
 * sets a new password. A password that is refused keeps the link.
 */
export const resetPage: Page = {
  async show(request, { frame, accounts, attempt }) {
    const token = queryParameter(request.target, 'token')
    if (token === null) return askForAddress(frame)
    const { ok } = await accounts.checkLink({ purpose: 'reset-password', token, attempt: attempt() })
    return ok ? askForPassword(frame, token, null) : deadReset(frame)
  },
  async take(request, parts) {
    const { frame, accountSession, cookies, reply } = parts
    const form = await readForm(request)
    const email = form?.get('email')
    if (email !== undefined && !form?.has('token')) return requestReset(parts, email)
    const [token, newPassword] = [form?.get('token') ?? '', form?.get('password') ?? '']
    try {
      const result = await accountSession.resetPassword({ token, newPassword })
      if (!result.ok) return deadReset(frame)
      if (result.status === 'password-set') return passwordChanged(frame)
      reply.setCookie(cookies.challenge.write(writePendingStep(result)))
      return redirect(frame, withReturn('/second-factor', '/account'))
    } catch (error) {
      if (isAccountsError(error)) return askForPassword(frame, token, error)
      throw error
    }
  },
}

function deadReset(frame: PageFrame): HttpReply {
  return deadLink(frame, html`\n<p><a href="/reset">${frame.texts['dead-link.reset']}</a></p>`)
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
