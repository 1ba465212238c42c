import type { HttpReply } from '@latchkey/http'
import { field, hidden, problem } from '../frame/field.ts'
import { html } from '../frame/html.ts'
import { createPage, type PageFrame } from '../frame/page.ts'
import type { Page } from '../frame/page-parts.ts'
import { readForm } from '../frame/read-form.ts'
import { redirect } from '../frame/redirect.ts'
import { queryParameter, readReturnPath } from '../frame/return-path.ts'

/** Signs in by a session cookie, then goes on to `return_to`. */
export const signInPage: Page = {
  show(request, { frame, identity }) {
    const returnTo = readReturnPath(queryParameter(request.target, 'return_to'))
    return identity ? redirect(frame, returnTo) : askToSignIn(frame, { returnTo })
  },
  async take(request, { frame, accountSession }) {
    const form = await readForm(request)
    const [email, password] = [form?.get('email') ?? '', form?.get('password') ?? '']
    const returnTo = readReturnPath(form?.get('return_to'))
    if (email === '' || password === '') return askToSignIn(frame, { returnTo, email, refused: 'incomplete' })
    const result = await accountSession.signIn({ email, password, delivery: 'SESSION' })
    return result.ok ? redirect(frame, returnTo) : askToSignIn(frame, { returnTo, email, refused: 'wrong' })
  },
}

interface SignInForm {
  readonly returnTo: string
  readonly email?: string
  readonly refused?: 'wrong' | 'incomplete'
}

const statuses = { wrong: 401, incomplete: 400 } as const

function askToSignIn(frame: PageFrame, { returnTo, email = '', refused }: SignInForm): HttpReply {
  const { texts } = frame
  const address = field({
    name: 'email',
    label: texts['field.email'],
    type: 'email',
    autocomplete: 'username webauthn',
    ...(email !== '' && { value: email }),
    isFirst: refused === undefined,
  })
  const secret = field({
    name: 'password',
    label: texts['field.password'],
    type: 'password',
    autocomplete: 'current-password',
    isWrong: refused !== undefined,
  })
  const body = html`${problem(refused ? texts[`sign-in.${refused}`] : null)}<form method="post" action="/sign-in">
${hidden('return_to', returnTo)}${address}${secret}<button type="submit">${texts['sign-in.submit']}</button>
</form>`
  return createPage(frame, { status: refused ? statuses[refused] : 200, title: texts['sign-in.title'], body })
}
