import type { HttpResponse } from '@latchkey/http'
import { clientNotice } from '../../page-kit/asking-client.ts'
import { type Destination, readDestination, returnField } from '../../page-kit/destination.ts'
import { addressField } from '../../page-kit/forms/address-field.ts'
import { formPage } from '../../page-kit/forms/form-page.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { field, hidden, problem } from '../../page-kit/html/field.ts'
import { html } from '../../page-kit/html/html.ts'
import { nextUrl } from '../../page-kit/next-url.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { redirect } from '../../page-kit/redirect.ts'
import { queryParameter, withReturn } from '../../page-kit/return-path.ts'
import { writePendingStep } from '../../service/account-session/pending-step.ts'

/** Mails a code, signs in by it, and redirects to `return_to`. A cookie binds the code to the browser. */
export const signInCodePage: Page = {
  async show(request, parts) {
    const destination = await readDestination(request, parts, queryParameter(request.target, 'return_to'))
    return askForAddress(parts, { ...destination, email: destination.asking?.loginHint ?? '' })
  },
  async take(request, parts) {
    const { accountSession } = parts
    const form = await readForm(request)
    const [email, code] = [form?.get('email') ?? '', form?.get('code')]
    const asked = { ...(await readDestination(request, parts, form?.get('return_to'))), email }
    if (email.trim() === '') return askForAddress(parts, { ...asked, refused: 'incomplete' })
    if (code !== undefined) return takeCode(parts, { ...asked, code })
    await accountSession.requestSignInCode({ email, delivery: 'SESSION' })
    return askForCode(parts, asked)
  },
}

interface CodeForm extends Destination {
  readonly email: string
  readonly refused?: 'wrong' | 'incomplete'
}

async function takeCode(parts: PageParts, form: CodeForm & { readonly code: string }): Promise<HttpResponse> {
  const { frame, accountSession, cookies, response } = parts
  const { email, code, returnTo, asking } = form
  if (code.trim() === '') return askForCode(parts, { ...form, refused: 'incomplete' })
  const result = await accountSession.signInWithCode({ email, code, delivery: 'SESSION' })
  if (!result.ok) return askForCode(parts, { ...form, refused: 'wrong' })
  if (result.status === 'signed-in') return redirect(frame, nextUrl(result, returnTo, asking))
  response.setCookie(cookies.challenge.write(writePendingStep(result)))
  return redirect(frame, withReturn('/second-factor', returnTo))
}

/** The page is the same for every address: it does not say who has an account. */
function askForAddress(parts: PageParts, { returnTo, asking, email, refused }: CodeForm): HttpResponse {
  const { frame, identity } = parts
  const { texts } = frame
  const address = addressField(frame, { email, isWrong: refused !== undefined, isFirst: true })
  const who = clientNotice(frame, asking, identity ? 'sign-in.again' : 'sign-in.client')
  const body = html`${problem(refused ? texts['sign-in-code.no-address'] : null)}${who}<p>${texts['sign-in-code.why']}</p>
<form method="post" action="/sign-in-code">
${returnField(returnTo)}${address}<button type="submit">${texts['sign-in-code.ask']}</button>
</form>
<p><a href="${withReturn('/sign-in', returnTo)}">${texts['sign-in-code.back']}</a></p>`
  return formPage(frame, { refused, asking, title: texts['sign-in-code.title'], body })
}

function askForCode({ frame }: PageParts, { returnTo, asking, email, refused }: CodeForm): HttpResponse {
  const { texts } = frame
  const code = field({
    name: 'code',
    label: texts['sign-in-code.code'],
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    isWrong: refused !== undefined,
    isFirst: true,
  })
  const body = html`${problem(refused ? texts[`sign-in-code.${refused}`] : null)}<p>${texts['sign-in-code.sent']}</p>
<form method="post" action="/sign-in-code">
${returnField(returnTo)}${hidden('email', email)}${code}<button type="submit">${texts['sign-in.submit']}</button>
</form>
<p><a href="${withReturn('/sign-in-code', returnTo)}">${texts['sign-in-code.again']}</a></p>`
  return formPage(frame, { refused, asking, title: texts['sign-in-code.title'], body })
}
