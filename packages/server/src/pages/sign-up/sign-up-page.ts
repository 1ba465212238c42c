import { type AccountsError, isAccountsError } from '@latchkey/accounts'
import type { HttpReply } from '@latchkey/http'
import { explainRefusal } from '../../accounts-schema/explain-refusal.ts'
import { type Field, field, problem } from '../field.ts'
import { type Html, html } from '../html.ts'
import { createPage, type PageFrame } from '../page.ts'
import type { Page } from '../page-parts.ts'
import { readForm } from '../read-form.ts'

/** Opens an account for who then confirms the address. The answer is the same whether or not the address is taken. */
export const signUpPage: Page = {
  show: (_request, { frame }) => askToSignUp(frame, { name: '', email: '' }),
  async take(request, { frame, accountSession }) {
    const form = await readForm(request)
    const [name, email] = [form?.get('name') ?? '', form?.get('email') ?? '']
    const password = form?.get('password') ?? ''
    if (name === '' || email === '' || password === '') return askToSignUp(frame, { name, email }, 'incomplete')
    try {
      await accountSession.signUp({ name, email, password })
    } catch (error) {
      if (isAccountsError(error) && error.field !== null) return askToSignUp(frame, { name, email }, error)
      throw error
    }
    return showSent(frame)
  },
}

/** What was typed, but for the password, which is never written back. */
interface Typed {
  readonly name: string
  readonly email: string
}

function askToSignUp(frame: PageFrame, typed: Typed, refused: AccountsError | 'incomplete' | null = null): HttpReply {
  const { texts } = frame
  const said = refused === 'incomplete' ? texts['sign-up.incomplete'] : refused && explainRefusal(refused, texts)
  const body = html`${problem(said)}<form method="post" action="/sign-up">
${fieldsFor(frame, typed, wrongField(typed, refused))}<button type="submit">${texts['sign-up.submit']}</button>
</form>
<p><a href="/sign-in">${texts['sign-up.sign-in']}</a></p>`
  return createPage(frame, { status: refused ? 400 : 200, title: texts['sign-up.title'], body })
}

/** The field that has the focus when something is wrong: the first empty one, or the one that was refused. */
function wrongField({ name, email }: Typed, refused: AccountsError | 'incomplete' | null): string | null {
  if (refused !== 'incomplete') return refused?.field ?? null
  if (name === '') return 'name'
  return email === '' ? 'email' : 'password'
}

function fieldsFor({ texts }: PageFrame, { name, email }: Typed, wrong: string | null): readonly Html[] {
  const fields: readonly Field[] = [
    { name: 'name', label: texts['sign-up.name'], autocomplete: 'name', isFirst: wrong === null, ...filled(name) },
    { name: 'email', label: texts['field.email'], type: 'email', autocomplete: 'email', ...filled(email) },
    {
      name: 'password',
      label: texts['sign-up.password'],
      type: 'password',
      autocomplete: 'new-password',
      hint: texts['sign-up.password-hint'],
    },
  ]
  return fields.map((one) => field({ ...one, isWrong: one.name === wrong }))
}

function filled(value: string): Pick<Field, 'value'> {
  return value === '' ? {} : { value }
}

function showSent(frame: PageFrame): HttpReply {
  const { texts } = frame
  const body = html`<p>${texts['signed-up.text']}</p>
<p><a href="/sign-in">${texts['sign-in.submit']}</a></p>`
  return createPage(frame, { title: texts['signed-up.title'], body })
}
