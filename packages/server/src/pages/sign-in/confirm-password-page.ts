import type { HttpReply } from '@latchkey/http'
import type { WaitingAuthorization } from '../../clients/authorization-server.ts'
import { findAskingClient, formTargetsOf } from '../asking-client.ts'
import { field, hidden, problem } from '../field.ts'
import { html } from '../html.ts'
import { createPage, type PageFrame } from '../page.ts'
import type { Page } from '../page-parts.ts'
import { readForm } from '../read-form.ts'
import { redirect } from '../redirect.ts'
import { queryParameter, readReturnPath } from '../return-path.ts'
import { signedInAtAll } from './step-up.ts'

/** Asks for the password again, where an account has no second factor, then goes on to `return_to`. */
export const confirmPasswordPage: Page = {
  async show(request, parts) {
    parts.authorize(signedInAtAll)
    const returnTo = readReturnPath(queryParameter(request.target, 'return_to'))
    const asking = await findAskingClient(request, parts, returnTo)
    return askForPassword(parts.frame, { returnTo, asking, refused: null })
  },
  async take(request, parts) {
    const { frame, authorize, accountSession } = parts
    authorize(signedInAtAll)
    const form = await readForm(request)
    const [currentPassword, returnTo] = [form?.get('password') ?? '', readReturnPath(form?.get('return_to'))]
    const asking = await findAskingClient(request, parts, returnTo)
    if (currentPassword === '') return askForPassword(frame, { returnTo, asking, refused: 'incomplete' })
    const { ok } = await accountSession.confirmPassword({ currentPassword })
    return ok ? redirect(frame, returnTo) : askForPassword(frame, { returnTo, asking, refused: 'wrong' })
  },
}

const statuses = { wrong: 401, incomplete: 400 } as const

interface ConfirmationForm {
  readonly returnTo: string
  /** The request that the proof is for; `null`: that of no client. */
  readonly asking: WaitingAuthorization | null
  readonly refused: keyof typeof statuses | null
}

function askForPassword(frame: PageFrame, { returnTo, asking, refused }: ConfirmationForm): HttpReply {
  const { texts } = frame
  const password = field({
    name: 'password',
    label: texts['field.password'],
    type: 'password',
    autocomplete: 'current-password',
    isWrong: refused !== null,
    isFirst: true,
  })
  const body = html`${problem(refused && texts[`confirm-password.${refused}`])}<p>${texts['confirm-password.why']}</p>
<form method="post" action="/confirm-password">
${hidden('return_to', returnTo)}${password}<button type="submit">${texts['confirm-password.submit']}</button>
</form>`
  return createPage(frame, {
    status: refused ? statuses[refused] : 200,
    title: texts['confirm-password.title'],
    body,
    formTargets: formTargetsOf(asking),
  })
}
