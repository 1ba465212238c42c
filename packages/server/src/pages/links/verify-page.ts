import type { LinkedSignUp } from '@latchkey/accounts'
import type { HttpReply } from '@latchkey/http'
import { field, hidden } from '../field.ts'
import { fill, html, nothing } from '../html.ts'
import { createPage, type PageFrame } from '../page.ts'
import type { Page } from '../page-parts.ts'
import { readForm } from '../read-form.ts'
import { queryParameter } from '../return-path.ts'
import { deadLink } from './dead-link.ts'

/** Behind the link of a sign-up: opening it changes nothing, its button confirms the address. */
export const verifyPage: Page = {
  async show(request, { frame, cookies, accounts, attempt }) {
    const token = queryParameter(request.target, 'token') ?? ''
    const browserSecret = cookies.signUp.read(request.header('cookie'))
    const link = await accounts.checkLink({ purpose: 'verify-email', token, browserSecret, attempt: attempt() })
    return link.ok && link.signUp ? askToVerify(frame, token, link.signUp) : deadLink(frame)
  },
  async take(request, { frame, cookies, accounts, attempt }) {
    const form = await readForm(request)
    const [token, password] = [form?.get('token') ?? '', form?.get('password') || null]
    const browserSecret = cookies.signUp.read(request.header('cookie'))
    const verified = await accounts.verifyEmail({ token, password, browserSecret, attempt: attempt() })
    return verified.ok ? confirmed(frame, verified) : deadLink(frame)
  },
}

/** The name was chosen at the sign-up, perhaps by a stranger: it is shown before it is confirmed. */
function askToVerify(frame: PageFrame, token: string, { email, name, keepsPassword }: LinkedSignUp): HttpReply {
  const { texts } = frame
  const password = field({
    name: 'password',
    label: texts['verify.password'],
    type: 'password',
    autocomplete: 'current-password',
    hint: texts['verify.password-hint'],
    isOptional: true,
  })
  const [who, where] = [html`<strong>${name}</strong>`, html`<strong>${email}</strong>`]
  const body = html`<p>${fill(texts['verify.whose'], { name: who, email: where })}</p>
<form method="post" action="/verify">
${hidden('token', token)}<input type="hidden" name="username" value="${email}" autocomplete="username">
${keepsPassword ? nothing : password}<button type="submit">${texts['verify.submit']}</button>
</form>`
  return createPage(frame, { title: texts['verify.title'], body })
}

function confirmed(frame: PageFrame, { hasPassword }: { readonly hasPassword: boolean }): HttpReply {
  const { texts } = frame
  const body = hasPassword
    ? html`<p>${texts['verified.with-password']}</p>
<p><a href="/sign-in?return_to=%2Faccount">${texts['verified.sign-in']}</a></p>`
    : html`<p>${texts['verified.without-password']}</p>`
  return createPage(frame, { title: texts['verified.title'], body })
}
