import type { AuthClient, AuthState } from '@latchkey/client'
import { useEffect } from 'react'
import { own, type User } from '../data/auth.ts'
import { DemoAccounts } from '../demo/demo-accounts.tsx'
import { isDemo } from '../demo/is-demo.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Field, Form } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { Link } from '../routing/link.tsx'
import { knowsPasskeys, passkeyAddress } from './passkey-address.ts'
import { SignInAtService } from './sign-in-at-service.tsx'

export function SignIn({ state }: { readonly state: AuthState<User> }) {
  const isEnded = state.status === 'signed-out' && state.reason === 'ended'
  return (
    <Page title="Sign in" isNarrow={!isDemo}>
      {isEnded && <Notice>Your session has ended. Sign in again to go on where you were.</Notice>}
      {own ? <SignInForm auth={own} /> : <SignInAtService />}
    </Page>
  )
}

function SignInForm({ auth }: { readonly auth: AuthClient<User> }) {
  useEffect(() => {
    if (!knowsPasskeys()) return
    // The browser offers passkeys in the list of addresses that it fills in.
    const leaving = new AbortController()
    auth.signInWithPasskey({ conditional: true, signal: leaving.signal }).catch(() => {})
    return () => leaving.abort()
  }, [auth])
  return (
    <div className={isDemo ? 'with-aside even' : undefined}>
      <div className="stack">
        <Form
          submit={async ({ email = '', password = '' }) => void (await auth.signIn({ email, password }))}
          button="Sign in"
          actions={<Link to="/app/forgotten">Forgot your password?</Link>}
        >
          <Field name="email" label="Email" type="email" autoComplete="username webauthn" />
          <Field name="password" label="Password" type="password" autoComplete="current-password" />
        </Form>
        <div className="or">
          {knowsPasskeys() ? (
            <ActionButton act={async () => void (await auth.signInWithPasskey())}>Use a passkey</ActionButton>
          ) : (
            <p className="muted">
              Passkeys belong to a name, not to an address: open <a href={passkeyAddress()}>localhost</a> to use one.
            </p>
          )}
          <p>
            New here? <Link to="/app/sign-up">Create an account</Link>
          </p>
        </div>
      </div>
      {isDemo && <DemoAccounts auth={auth} />}
    </div>
  )
}
