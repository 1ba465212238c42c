import type { HttpReply } from '@latchkey/http'
import { type CarriedWay, readWay, returnField } from '../carried-way.ts'
import { field, problem } from '../field.ts'
import { formPage } from '../form-page.ts'
import { html } from '../html.ts'
import type { PageFrame } from '../page.ts'
import type { Page } from '../page-parts.ts'
import { readForm } from '../read-form.ts'
import { redirect } from '../redirect.ts'
import { queryParameter } from '../return-path.ts'
import { authenticatedRule } from './step-up.ts'

/** Asks for the password again, where an account has no second factor, then goes on to `return_to`. */
export const confirmPasswordPage: Page = {
  async show(request, parts) {
    parts.authorize(authenticatedRule)
    return askForPassword(parts.frame, await readWay(request, parts, queryParameter(request.target, 'return_to')))
  },
  async take(request, parts) {
    const { frame, authorize, accountSession } = parts
    authorize(authenticatedRule)
    const form = await readForm(request)
    const currentPassword = form?.get('password') ?? ''
    const way = await readWay(request, parts, form?.get('return_to'))
    if (currentPassword === '') return askForPassword(frame, { ...way, refused: 'incomplete' })
    const { ok } = await accountSession.confirmPassword({ currentPassword })
    return ok ? redirect(frame, way.returnTo) : askForPassword(frame, { ...way, refused: 'wrong' })
  },
}

interface ConfirmationForm extends CarriedWay {
  readonly refused?: 'wrong' | 'incomplete'
}

function askForPassword(frame: PageFrame, { returnTo, asking, refused }: ConfirmationForm): HttpReply {
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
