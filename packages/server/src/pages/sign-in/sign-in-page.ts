import type { HttpReply } from '@latchkey/http'
import { field, hidden, problem } from '../field.ts'
import { html } from '../html.ts'
import { createPage } from '../page.ts'
import type { Page, PageParts } from '../page-parts.ts'
import { readForm } from '../read-form.ts'
import { redirect } from '../redirect.ts'
import { queryParameter, readReturnPath, withReturn } from '../return-path.ts'
import { passkeyPart } from './passkey-part.ts'
import { writePendingStep } from './pending-step.ts'
import { wayOn } from './way-on.ts'

/** Signs in by a session cookie, then goes on to `return_to`. */
export const signInPage: Page = {
  show(request, parts) {
    const returnTo = readReturnPath(queryParameter(request.target, 'return_to'))
    const { frame, identity } = parts
    return identity ? redirect(frame, wayOn(identity, returnTo)) : askToSignIn(parts, { returnTo })
  },
  async take(request, parts) {
    const { frame, accountSession, cookies, reply } = parts
    const form = await readForm(request)
    const [email, password] = [form?.get('email') ?? '', form?.get('password') ?? '']
    const returnTo = readReturnPath(form?.get('return_to'))
    if (email === '' || password === '') return askToSignIn(parts, { returnTo, email, refused: 'incomplete' })
    const result = await accountSession.signIn({ email, password, delivery: 'SESSION' })
    if (!result.ok) return askToSignIn(parts, { returnTo, email, refused: 'wrong' })
    if (result.status === 'signed-in') return redirect(frame, wayOn(result, returnTo))
    reply.setCookie(cookies.challenge.write(writePendingStep(result)))
    return redirect(frame, withReturn('/second-factor', returnTo))
  },
}

export interface SignInForm {
  readonly returnTo: string
  readonly email?: string
  readonly refused?: keyof typeof statuses
}

const statuses = { wrong: 401, incomplete: 400, passkey: 401 } as const

export function askToSignIn(parts: PageParts, { returnTo, email = '', refused }: SignInForm): HttpReply {
  const { frame } = parts
  const { texts } = frame
  const isWrong = refused === 'wrong' || refused === 'incomplete'
  const address = field({
    name: 'email',
    label: texts['field.email'],
    type: 'email',
    autocomplete: 'username webauthn',
    ...(email !== '' && { value: email }),
    isFirst: !isWrong,
  })
  const secret = field({
    name: 'password',
    label: texts['field.password'],
    type: 'password',
    autocomplete: 'current-password',
    isWrong,
  })
  const path = withReturn('/sign-in', returnTo)
  const { body: passkey, script } = passkeyPart(parts, { step: 'sign-in', returnTo, path })
  const body = html`${problem(refused ? texts[`sign-in.${refused}`] : null)}<form method="post" action="/sign-in">
${hidden('return_to', returnTo)}${address}${secret}<button type="submit">${texts['sign-in.submit']}</button>
</form>
${passkey}`
  const status = refused ? statuses[refused] : 200
  return createPage(frame, { status, title: texts['sign-in.title'], body, ...(script !== undefined && { script }) })
}
