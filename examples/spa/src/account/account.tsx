import type { AuthState } from '@latchkey/client'
import { auth, own, servicePage, type User } from '../data/auth.ts'
import { explain } from '../data/explain.ts'
import { useQuery } from '../data/use-query.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { Link } from '../routing/link.tsx'
import { Authenticator } from './authenticator.tsx'
import { ChangePassword } from './change-password.tsx'
import { type Passkey, Passkeys } from './passkeys.tsx'

interface SecurityOfAccount {
  readonly factors: readonly { readonly kind: string }[]
  readonly passkeys: readonly Passkey[]
}

const readSecurity = 'query Security { factors { kind } passkeys { id name createdAt lastUsedAt } }'

type SignedIn = AuthState<User> & { readonly status: 'signed-in' }

export function Account({ state }: { readonly state: SignedIn }) {
  const { name, email, role } = state.user
  return (
    <Page title="Your account" lead={[name, email, role?.toLowerCase()].filter(Boolean).join(' · ')}>
      <div className="panels">
        {own ? <Security /> : <SecurityAtService />}
        <section className="panel">
          <h2>Sessions</h2>
          <p>
            See where you are signed in, and end what is not you. <Link to="/app/devices">Your devices</Link>
          </p>
          <div className="actions">
            <ActionButton act={() => auth.signOut()}>Sign out</ActionButton>
            <ActionButton kind="quiet" act={() => auth.signOut({ everywhere: true })}>
              Sign out everywhere
            </ActionButton>
          </div>
        </section>
      </div>
    </Page>
  )
}

function Security() {
  const { data, failure, reload } = useQuery<SecurityOfAccount>(readSecurity)
  if (failure) return <Notice kind="bad">{explain(failure)}</Notice>
  if (!data) return <section className="panel skeleton" aria-busy="true" />
  const hasApp = data.factors.some(({ kind }) => kind === 'totp')
  return (
    <>
      <Authenticator hasApp={hasApp} onChange={reload} />
      <Passkeys passkeys={data.passkeys} onChange={reload} />
      <ChangePassword />
    </>
  )
}

/** Links to the service's own pages: pages of another origin may not change factors or passwords. */
function SecurityAtService() {
  return (
    <section className="panel">
      <h2>Password and second factors</h2>
      <p>
        They are changed at the service. <a href={servicePage('/account')}>Your account there</a>
      </p>
    </section>
  )
}
