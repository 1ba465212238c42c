import { useState } from 'react'
import { own } from '../data/auth.ts'
import { isDemo } from '../demo/is-demo.ts'
import { Field, Form } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { Link } from '../routing/link.tsx'

export function SignUp() {
  const [address, setAddress] = useState<string | null>(null)
  if (address !== null) return <CheckEmail address={address} what="confirms your address and opens your account" />
  const submit = async ({ name = '', email = '', password = '' }) => {
    await own?.signUp({ name, email, password })
    setAddress(email)
  }
  return (
    <Page title="Create an account" lead="As a reader you may comment on every article." isNarrow>
      <Form submit={submit} button="Create account" actions={<Link to="/app/sign-in">Sign in instead</Link>}>
        <Field name="name" label="Name" autoComplete="name" />
        <Field name="email" label="Email" type="email" autoComplete="email" />
        <Field
          name="password"
          label="Password"
          type="password"
          autoComplete="new-password"
          hint="A sentence of a few words is easy to keep and hard to guess."
        />
      </Form>
    </Page>
  )
}

/** The text is the same for addresses with and without an account, so it does not reveal accounts. */
export function CheckEmail({ address, what }: { readonly address: string; readonly what: string }) {
  return (
    <Page title="Check your email" isNarrow>
      <p>
        We sent a mail to <strong>{address}</strong>. Its link {what}.
      </p>
      {isDemo && (
        <Notice>In development no mail leaves this machine: the terminal of npm start prints it, with its link.</Notice>
      )}
    </Page>
  )
}
