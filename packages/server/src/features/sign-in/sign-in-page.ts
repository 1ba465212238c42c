import type { HttpResponse } from '@latchkey/http'
import { clientNotice } from '../../page-kit/asking-client.ts'
import { type Destination, readDestination, returnField } from '../../page-kit/destination.ts'
import { addressField } from '../../page-kit/forms/address-field.ts'
import { formPage, type RefusedProof } from '../../page-kit/forms/form-page.ts'
import { passkeyPart } from '../../page-kit/forms/passkey-part.ts'
import { providerButtons } from '../../page-kit/forms/provider-buttons.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { field, problem } from '../../page-kit/html/field.ts'
import { type Html, html, nothing } from '../../page-kit/html/html.ts'
import { nextUrl } from '../../page-kit/next-url.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { redirect } from '../../page-kit/redirect.ts'
import { queryParameter, withReturn } from '../../page-kit/return-path.ts'
import { writePendingStep } from '../../service/account-session/pending-step.ts'
import { askForFurtherFactor } from '../step-up/further-factor.ts'

/** Signs in with a session cookie, then redirects to `return_to`. */
export const signInPage: Page = {
  async show(request, parts) {
    const { returnTo, asking } = await readDestination(request, parts, queryParameter(request.target, 'return_to'))
    const { frame, identity } = parts
    const form = { returnTo, asking, email: asking?.loginHint ?? '' }
    if (!identity) return askToSignIn(parts, form)
    if (!asking || returnTo === null || identity.mustEnroll) return redirect(frame, nextUrl(identity, returnTo))
    const isOther = queryParameter(request.target, 'prompt') === 'select_account'
    if (isOther || asking.needs === 'sign-in') return askToSignIn(parts, form)
    return asking.needs === 'second-factor' ? askForFurtherFactor(parts, returnTo, asking) : redirect(frame, returnTo)
  },
  async take(request, parts) {
    const { frame, accountSession, cookies, response } = parts
    const form = await readForm(request)
    const [email, password] = [form?.get('email') ?? '', form?.get('password') ?? '']
    const { returnTo, asking } = await readDestination(request, parts, form?.get('return_to'))
    if (email === '' || password === '') return askToSignIn(parts, { returnTo, asking, email, refused: 'incomplete' })
    const result = await accountSession.signIn({ email, password, delivery: 'SESSION' })
    if (!result.ok) return askToSignIn(parts, { returnTo, asking, email, refused: 'wrong' })
    if (result.status === 'signed-in') return redirect(frame, nextUrl(result, returnTo, asking))
    response.setCookie(cookies.challenge.write(writePendingStep({ ...result, byPassword: true })))
    return redirect(frame, withReturn('/second-factor', returnTo))
  },
}

export interface SignInForm extends Destination {
  readonly email?: string
  readonly refused?: RefusedProof
}

export function askToSignIn(parts: PageParts, { returnTo, asking, email = '', refused }: SignInForm): HttpResponse {
  const { frame, identity } = parts
  const { texts } = frame
  const isWrong = refused === 'wrong' || refused === 'incomplete'
  const address = addressField(frame, { email, isFirst: !isWrong, offersPasskeys: true })
  const secret = field({
    name: 'password',
    label: texts['field.password'],
    type: 'password',
    autocomplete: 'current-password',
    isWrong,
  })
  const path = withReturn('/sign-in', returnTo)
  const { body: passkey, script } = passkeyPart(parts, {
    step: 'sign-in',
    returnTo,
    path,
    isForClient: asking !== null,
  })
  const who = clientNotice(frame, asking, identity ? 'sign-in.again' : 'sign-in.client')
  const body = html`${problem(refused ? texts[`sign-in.${refused}`] : null)}${who}<form method="post" action="/sign-in">
${returnField(returnTo)}${address}${secret}<button type="submit">${texts['sign-in.submit']}</button>
</form>
${passkey}${withProviders(parts, returnTo)}${otherWays(parts, returnTo)}`
  return formPage(frame, { refused, asking, title: texts['sign-in.title'], body, script })
}

function withProviders({ frame, providers }: PageParts, returnTo: string | null): Html {
  return providers
    ? providerButtons(frame, { purpose: 'provider.sign-in', providers: providers.byName.values(), returnTo })
    : nothing
}

/** Links to sign-up, password reset and sign-in by code, each of which returns here. */
function otherWays({ frame: { texts }, offers }: PageParts, returnTo: string | null): Html {
  const byCode = html`<li><a href="${withReturn('/sign-in-code', returnTo)}">${texts['sign-in.by-code']}</a></li>\n`
  const signUp = html`<li><a href="${withReturn('/sign-up', returnTo)}">${texts['sign-in.sign-up']}</a></li>\n`
  return html`<ul>
${offers.emailCode ? byCode : nothing}<li><a href="${withReturn('/reset', returnTo)}">${texts['sign-in.forgotten']}</a></li>
${offers.signUp ? signUp : nothing}</ul>
`
}
