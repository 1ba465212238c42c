import { failedRedirect, oauth } from '../data/auth.ts'
import { explain } from '../data/explain.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Notice } from '../parts/notice.tsx'

/** On another origin the service's own pages ask for passwords, codes and passkeys: this page sees none of them. */
export function SignInAtService() {
  const leave = (prompt?: 'create') => async () =>
    void (await oauth?.signInWithRedirect({ returnTo: placeToReturnTo(), ...(prompt && { prompt }) }))
  return (
    <>
      {failedRedirect && <Notice kind="bad">{explain(failedRedirect)}</Notice>}
      <p>
        This page stands on another origin than the service. Its own pages sign you in, and this one gets tokens that
        are bound to a key of your browser.
      </p>
      <div className="actions">
        <ActionButton kind="primary" act={leave()}>
          Sign in at the service
        </ActionButton>
        <ActionButton act={leave('create')}>Create an account</ActionButton>
      </div>
    </>
  )
}

/** The view that asked for a sign-in; from the sign-in itself the articles. */
function placeToReturnTo(): string {
  return location.pathname === '/app/sign-in' ? '/' : location.pathname
}
