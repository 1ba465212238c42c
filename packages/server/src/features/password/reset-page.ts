import { type AccountsError, isAccountsError } from '@latchkey/accounts'
import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { readDestination, signInLink } from '../../page-kit/destination.ts'
import { newPasswordField } from '../../page-kit/forms/new-password-field.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { deadLink } from '../../page-kit/html/dead-link.ts'
import { hidden, problem } from '../../page-kit/html/field.ts'
import { html } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'
import { forgetReturnTo, readKeptReturnTo } from '../../page-kit/kept-return-to.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { redirect } from '../../page-kit/redirect.ts'
import { queryParameter, withReturn } from '../../page-kit/return-path.ts'
import { explainRefusal } from '../../schema/explain-refusal.ts'
import { writePendingStep } from '../../service/account-session/pending-step.ts'
import { askForAddress, requestReset } from './reset-request.ts'

/**
 * Requests a mail to reset the password. With the link of the mail, its form sets a new password. If the password is
 * refused, the link stays valid.
 */
export const resetPage: Page = {
  async show(request, parts) {
    const { frame, accounts, attempt } = parts
    const token = queryParameter(request.target, 'token')
    if (token === null) {
      return askForAddress(frame, await readDestination(request, parts, queryParameter(request.target, 'return_to')))
    }
    const { ok } = await accounts.checkLink({ purpose: 'reset-password', token, attempt: attempt() })
    return ok ? askForPassword(parts, token, null) : deadReset(request, parts)
  },
  async take(request, parts) {
    const { frame, accountSession, cookies, response } = parts
    const form = await readForm(request)
    const email = form?.get('email')
    if (email !== undefined && !form?.has('token')) {
      return requestReset(request, parts, {
        email,
        destination: await readDestination(request, parts, form?.get('return_to')),
      })
    }
    const [token, newPassword] = [form?.get('token') ?? '', form?.get('password') ?? '']
    try {
      const result = await accountSession.resetPassword({ token, newPassword })
      if (!result.ok) return deadReset(request, parts)
      const returnTo = await readKeptReturnTo(request, parts)
      if (result.status === 'password-set') {
        forgetReturnTo(request, parts)
        return passwordChanged(frame, returnTo)
      }
      // The link stays valid until the factor is proven, so opening it again repeats this step.
      response.setCookie(cookies.challenge.write(writePendingStep(result)))
      return redirect(frame, withReturn('/second-factor', returnTo))
    } catch (error) {
      if (isAccountsError(error) && error.code === 'PASSWORD_REJECTED') return askForPassword(parts, token, error)
      throw error
    }
  },
}

async function deadReset(request: HttpRequest, parts: PageParts): Promise<HttpResponse> {
  return deadLink(parts.frame, [['dead-link.reset', withReturn('/reset', await readKeptReturnTo(request, parts))]])
}

function askForPassword(parts: PageParts, token: string, refused: AccountsError | null): HttpResponse {
  const { frame } = parts
  const { texts } = frame
  const password = newPasswordField(parts, {
    name: 'password',
    label: texts['reset.password'],
    isWrong: refused !== null,
    isFirst: true,
  })
  const body = html`${problem(refused && explainRefusal(refused, texts))}<form method="post" action="/reset">
${hidden('token', token)}${password}<button type="submit">${texts['reset.submit']}</button>
</form>`
  return createPage(frame, { status: refused ? 400 : 200, title: texts['reset.title'], body })
}

function passwordChanged(frame: PageFrame, returnTo: string | null): HttpResponse {
  const { texts } = frame
  const body = html`<p>${texts['reset-done.text']}</p>
${signInLink(returnTo, texts['reset-done.sign-in'])}`
  return createPage(frame, { title: texts['reset-done.title'], body })
}
