import { useState } from 'react'
import { own } from '../data/auth.ts'
import { Field, Form } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { Link } from '../routing/link.tsx'
import { mailToken } from '../routing/mail-token.ts'
import { CheckEmail } from './sign-up.tsx'

export function Forgotten() {
  const [address, setAddress] = useState<string | null>(null)
  if (address !== null) return <CheckEmail address={address} what="lets you choose a new password" />
  const submit = async ({ email = '' }) => {
    await own?.requestPasswordReset({ email })
    setAddress(email)
  }
  return (
    <Page title="Forgot your password?" lead="We send you a link by which you choose a new one." isNarrow>
      <Form submit={submit} button="Send the link" actions={<Link to="/app/sign-in">Sign in instead</Link>}>
        <Field name="email" label="Email" type="email" autoComplete="email" />
      </Form>
    </Page>
  )
}

/** The page of the link in a reset mail. */
export function NewPassword() {
  const [isDone, setDone] = useState(false)
  if (isDone) {
    return (
      <Page title="Your password is changed" lead="All other sessions have ended." isNarrow>
        <Link to="/app/sign-in" className="button primary">
          Sign in
        </Link>
      </Page>
    )
  }
  const submit = async ({ newPassword = '' }) => {
    await own?.resetPassword({ token: mailToken ?? '', newPassword })
    setDone(true)
  }
  return (
    <Page title="Choose a new password" isNarrow>
      <Form submit={submit} button="Change password">
        <Field name="newPassword" label="New password" type="password" autoComplete="new-password" />
      </Form>
    </Page>
  )
}
