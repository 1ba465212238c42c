import { type AccountsError, isAccountsError } from '@latchkey/accounts'
import type { HttpResponse } from '@latchkey/http'
import { newPasswordField } from '../../page-kit/forms/new-password-field.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { field, problem } from '../../page-kit/html/field.ts'
import { type Html, html } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'
import { cancelLink } from '../../page-kit/html/proof-question.ts'
import { checkPresentedFor, ownAccount, presentedFor } from '../../page-kit/own-account.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { signedIn } from '../../page-kit/page-rules.ts'
import { explainRefusal } from '../../schema/explain-refusal.ts'

/** Changes the password after the current one is entered, and revokes all other sessions. */
export const passwordPage: Page = {
  show: (_request, parts) => askForPasswords(parts, null),
  async take(request, parts) {
    const { frame, authorize, accountSession } = parts
    const identity = authorize(signedIn)
    const form = await readForm(request)
    checkPresentedFor(form, identity)
    const [currentPassword, newPassword] = [form?.get('password') ?? '', form?.get('new_password') ?? '']
    if (currentPassword === '' || newPassword === '') return askForPasswords(parts, 'incomplete')
    try {
      const { ok } = await accountSession.changePassword({ currentPassword, newPassword })
      return ok ? showChanged(frame) : askForPasswords(parts, 'wrong')
    } catch (error) {
      if (isAccountsError(error) && error.code === 'PASSWORD_REJECTED') return askForPasswords(parts, error)
      throw error
    }
  },
}

/** `wrong`: the current one. Otherwise the new one. */
type Refused = 'wrong' | 'incomplete' | AccountsError | null

async function askForPasswords(parts: PageParts, refused: Refused): Promise<HttpResponse> {
  const { frame } = parts
  const { texts } = frame
  const account = await ownAccount(parts)
  const body = html`${problem(whyRefused(frame, refused))}<form method="post" action="/account/password">
${presentedFor(account)}<input type="hidden" name="username" value="${account.email}" autocomplete="username">
${fieldsFor(parts, refused)}<button type="submit">${texts['change-password.submit']}</button>
</form>
<p><a href="/reset">${texts['change-password.forgotten']}</a></p>
${cancelLink(frame)}`
  const status = refused === null ? 200 : refused === 'wrong' ? 401 : 400
  return createPage(frame, { status, title: texts['account.password'], body })
}

function whyRefused({ texts }: PageFrame, refused: Refused): string | null {
  if (refused === null) return null
  return typeof refused === 'string' ? texts[`change-password.${refused}`] : explainRefusal(refused, texts)
}

function fieldsFor(parts: PageParts, refused: Refused): readonly Html[] {
  const { texts } = parts.frame
  const isCurrentWrong = typeof refused === 'string'
  return [
    field({
      name: 'password',
      label: texts['change-password.current'],
      type: 'password',
      autocomplete: 'current-password',
      isWrong: isCurrentWrong,
      isFirst: refused === null,
    }),
    newPasswordField(parts, {
      name: 'new_password',
      label: texts['change-password.new'],
      isWrong: refused !== null && !isCurrentWrong,
    }),
  ]
}

function showChanged(frame: PageFrame): HttpResponse {
  const { texts } = frame
  const body = html`<p>${texts['password-changed.text']}</p>
${cancelLink(frame)}`
  return createPage(frame, { title: texts['password-changed.title'], body })
}
