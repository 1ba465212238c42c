import { type AccountsError, isAccountsError } from '@latchkey/accounts'
import type { HttpResponse } from '@latchkey/http'
import type { ProviderSettings } from '../../options/sign-in/provider-settings.ts'
import { clientNotice, formTargetsOf } from '../../page-kit/asking-client.ts'
import { type Destination, readDestination, returnField, signInLink } from '../../page-kit/destination.ts'
import { newPasswordField } from '../../page-kit/forms/new-password-field.ts'
import { providerButtons } from '../../page-kit/forms/provider-buttons.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { type Field, field, problem } from '../../page-kit/html/field.ts'
import { type Html, html, nothing } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'
import { keepReturnTo } from '../../page-kit/kept-return-to.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { queryParameter, withReturn } from '../../page-kit/return-path.ts'
import { explainRefusal } from '../../schema/explain-refusal.ts'

/** Creates an account and mails a link that confirms its address. The response is the same if the address is taken. */
export const signUpPage: Page = {
  async show(request, parts) {
    const destination = await readDestination(request, parts, queryParameter(request.target, 'return_to'))
    return askToSignUp(parts, { name: '', email: '', destination })
  },
  async take(request, parts) {
    const { frame, accountSession } = parts
    const form = await readForm(request)
    const destination = await readDestination(request, parts, form?.get('return_to'))
    const [name, email] = [form?.get('name') ?? '', form?.get('email') ?? '']
    const password = form?.get('password') ?? ''
    if (name === '' || email === '' || password === '')
      return askToSignUp(parts, { name, email, destination }, 'incomplete')
    try {
      await accountSession.signUp({ name, email, password })
    } catch (error) {
      if (isAccountsError(error) && error.field !== null) return askToSignUp(parts, { name, email, destination }, error)
      throw error
    }
    keepReturnTo(request, parts, destination)
    return showSent(frame, destination)
  },
}

/** The entered values. The password is never written back. */
interface Typed {
  readonly name: string
  readonly email: string
}

interface SignUpForm extends Typed {
  readonly destination: Destination
}

function askToSignUp(
  parts: PageParts,
  { destination, ...typed }: SignUpForm,
  refused: AccountsError | 'incomplete' | null = null,
): HttpResponse {
  const { frame, providers } = parts
  const { texts } = frame
  const who = clientNotice(frame, destination.asking, 'second-factor.client')
  const message = refused === 'incomplete' ? texts['sign-up.incomplete'] : refused && explainRefusal(refused, texts)
  const body = html`${problem(message)}${who}<form method="post" action="/sign-up">
${returnField(destination.returnTo)}${fieldsFor(parts, typed, wrongField(typed, refused))}<button type="submit">${texts['sign-up.submit']}</button>
</form>
${providers?.opensAccounts ? signUpButtons(frame, providers, destination) : nothing}${signInLink(destination.returnTo, texts['sign-up.sign-in'])}`
  return createPage(frame, {
    status: refused ? 400 : 200,
    title: texts['sign-up.title'],
    body,
    formTargets: formTargetsOf(destination.asking),
  })
}

function signUpButtons(frame: PageFrame, { byName }: ProviderSettings, { returnTo }: Destination): Html {
  return providerButtons(frame, { purpose: 'provider.sign-up', providers: byName.values(), returnTo })
}

/** The field that has the focus when something is wrong: the first empty one, or the one that was refused. */
function wrongField({ name, email }: Typed, refused: AccountsError | 'incomplete' | null): string | null {
  if (refused !== 'incomplete') return refused?.field ?? null
  if (name === '') return 'name'
  return email === '' ? 'email' : 'password'
}

function fieldsFor(parts: PageParts, { name, email }: Typed, wrong: string | null): readonly Html[] {
  const { texts } = parts.frame
  const fields: readonly Field[] = [
    { name: 'name', label: texts['sign-up.name'], autocomplete: 'name', isFirst: wrong === null, ...filled(name) },
    { name: 'email', label: texts['field.email'], type: 'email', autocomplete: 'email', ...filled(email) },
  ]
  const password = { name: 'password', label: texts['sign-up.password'], isWrong: wrong === 'password' }
  return [...fields.map((one) => field({ ...one, isWrong: one.name === wrong })), newPasswordField(parts, password)]
}

function filled(value: string): Pick<Field, 'value'> {
  return value === '' ? {} : { value }
}

function showSent(frame: PageFrame, { returnTo, asking }: Destination): HttpResponse {
  const { texts } = frame
  const body = html`<p>${texts['signed-up.text']}</p>
<ul>
<li><a href="${withReturn('/sign-up', returnTo)}">${texts['signed-up.again']}</a></li>
<li><a href="${withReturn('/sign-in', returnTo)}">${texts['sign-in.submit']}</a></li>
</ul>`
  return createPage(frame, { title: texts['signed-up.title'], body, formTargets: formTargetsOf(asking) })
}
