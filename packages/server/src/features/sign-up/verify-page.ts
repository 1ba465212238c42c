import type { LinkedSignUp } from '@latchkey/accounts/internal'
import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { signInLink } from '../../page-kit/destination.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { deadLink, type PageLink } from '../../page-kit/html/dead-link.ts'
import { field, hidden } from '../../page-kit/html/field.ts'
import { fill, html, nothing } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'
import { forgetReturnTo, readKeptReturnTo } from '../../page-kit/kept-return-to.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { queryParameter, withReturn } from '../../page-kit/return-path.ts'

/** The page of the link that confirms a sign-up. Opening it is safe; its button confirms the address. */
export const verifyPage: Page = {
  async show(request, parts) {
    const { frame, cookies, accounts, attempt } = parts
    const token = queryParameter(request.target, 'token') ?? ''
    const browserSecret = cookies.signUp.read(request)
    const link = await accounts.checkLink({ purpose: 'verify-email', token, browserSecret, attempt: attempt() })
    return link.ok && link.signUp ? askToVerify(frame, token, link.signUp) : deadVerification(request, parts)
  },
  async take(request, parts) {
    const { cookies, accounts, attempt } = parts
    const form = await readForm(request)
    const [token, password] = [form?.get('token') ?? '', form?.get('password') || null]
    const browserSecret = cookies.signUp.read(request)
    const verified = await accounts.verifyEmail({ token, password, browserSecret, attempt: attempt() })
    return verified.ok ? confirmed(request, parts, verified) : deadVerification(request, parts)
  },
}

/** The name was chosen at the sign-up, perhaps by a stranger: it is shown before it is confirmed. */
function askToVerify(frame: PageFrame, token: string, { email, name, keepsPassword }: LinkedSignUp): HttpResponse {
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

/** An address that was confirmed by it signs in; for any other a sign-up sends another mail. */
async function deadVerification(request: HttpRequest, parts: PageParts): Promise<HttpResponse> {
  const returnTo = await readKeptReturnTo(request, parts)
  const signIn: PageLink = ['dead-link.confirmed', withReturn('/sign-in', returnTo)]
  const signUp: PageLink = ['dead-link.sign-up', withReturn('/sign-up', returnTo)]
  return deadLink(parts.frame, parts.offers.signUp ? [signIn, signUp] : [signIn])
}

async function confirmed(
  request: HttpRequest,
  parts: PageParts,
  { hasPassword }: { readonly hasPassword: boolean },
): Promise<HttpResponse> {
  const { frame } = parts
  const { texts } = frame
  const returnTo = await readKeptReturnTo(request, parts)
  // Without a password, the user first follows the link of another mail, which needs the destination.
  if (hasPassword) forgetReturnTo(request, parts)
  const body = hasPassword
    ? html`<p>${texts['verified.with-password']}</p>
${signInLink(returnTo, texts['verified.sign-in'])}`
    : html`<p>${texts['verified.without-password']}</p>
<p><a href="${withReturn('/reset', returnTo)}">${texts['reset-asked.again']}</a></p>`
  return createPage(frame, { title: texts['verified.title'], body })
}
