import { useState } from 'react'
import { own } from '../data/auth.ts'
import { Field, Form } from '../parts/form.tsx'
import { Page } from '../parts/page.tsx'
import { Link } from '../routing/link.tsx'
import { mailToken } from '../routing/mail-token.ts'

/** The page of the link in a sign-up mail. Only the button confirms the address, because mail programs open links too. */
export function Verify() {
  const [isDone, setDone] = useState(false)
  if (isDone) {
    return (
      <Page title="Welcome" lead="Your address is confirmed and your account is open." isNarrow>
        <Link to="/app/sign-in" className="button primary">
          Sign in
        </Link>
      </Page>
    )
  }
  const submit = async ({ password = '' }) => {
    await own?.verifyEmail({ token: mailToken ?? '', ...(password && { password }) })
    setDone(true)
  }
  return (
    <Page title="Confirm your address" lead="One click, and your account is open." isNarrow>
      <Form submit={submit} button="Confirm address">
        <Field
          name="password"
          label="Password (only if you signed up in another browser)"
          type="password"
          autoComplete="new-password"
          isOptional
        />
      </Form>
    </Page>
  )
}
