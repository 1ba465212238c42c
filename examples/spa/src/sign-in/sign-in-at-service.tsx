import { failedRedirect, oauth } from '../data/auth.ts'
import { explain } from '../data/explain.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Notice } from '../parts/notice.tsx'

/** The sign-in on another origin. The service's own pages take passwords, codes and passkeys; this page never sees them. */
export function SignInAtService() {
  const leave = (prompt?: 'create') => async () =>
    void (await oauth?.signInWithRedirect({ returnTo: placeToReturnTo(), ...(prompt && { prompt }) }))
  return (
    <>
      {failedRedirect && <Notice kind="bad">{explain(failedRedirect)}</Notice>}
      <p>
        This page is on another origin than the service. The pages of the service sign you in, and this page gets tokens
        that are bound to a key of your browser.
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

/** Returns the path of the view that required a sign-in, or `/` on the sign-in page itself. */
function placeToReturnTo(): string {
  return location.pathname === '/app/sign-in' ? '/' : location.pathname
}
