import type { HttpResponse } from '@latchkey/http'
import { type Destination, readDestination, returnField } from '../../page-kit/destination.ts'
import { formPage } from '../../page-kit/forms/form-page.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { field, problem } from '../../page-kit/html/field.ts'
import { html } from '../../page-kit/html/html.ts'
import type { PageFrame } from '../../page-kit/html/page.ts'
import type { Page } from '../../page-kit/page-parts.ts'
import { authenticatedRule } from '../../page-kit/page-rules.ts'
import { redirect } from '../../page-kit/redirect.ts'
import { queryParameter } from '../../page-kit/return-path.ts'

/** Confirms the password if the account has no second factor, then redirects to `return_to`. */
export const confirmPasswordPage: Page = {
  async show(request, parts) {
    parts.authorize(authenticatedRule)
    return askForPassword(
      parts.frame,
      await readDestination(request, parts, queryParameter(request.target, 'return_to')),
    )
  },
  async take(request, parts) {
    const { frame, authorize, accountSession } = parts
    authorize(authenticatedRule)
    const form = await readForm(request)
    const currentPassword = form?.get('password') ?? ''
    const destination = await readDestination(request, parts, form?.get('return_to'))
    if (currentPassword === '') return askForPassword(frame, { ...destination, refused: 'incomplete' })
    const { ok } = await accountSession.confirmPassword({ currentPassword })
    return ok ? redirect(frame, destination.returnTo) : askForPassword(frame, { ...destination, refused: 'wrong' })
  },
}

interface ConfirmationForm extends Destination {
  readonly refused?: 'wrong' | 'incomplete'
}

function askForPassword(frame: PageFrame, { returnTo, asking, refused }: ConfirmationForm): HttpResponse {
  const { texts } = frame
  const password = field({
    name: 'password',
    label: texts['field.password'],
    type: 'password',
    autocomplete: 'current-password',
    isWrong: refused !== undefined,
    isFirst: true,
  })
  const body = html`${problem(refused ? texts[`confirm-password.${refused}`] : null)}<p>${texts['confirm-password.why']}</p>
<form method="post" action="/confirm-password">
${returnField(returnTo)}${password}<button type="submit">${texts['confirm-password.submit']}</button>
</form>`
  return formPage(frame, { refused, asking, title: texts['confirm-password.title'], body })
}
