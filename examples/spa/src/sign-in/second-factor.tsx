import type { AuthState } from '@latchkey/client'
import { auth, own, type User } from '../data/auth.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Page } from '../parts/page.tsx'
import { ProofForms } from '../parts/proof-forms.tsx'

export function SecondFactor({ state }: { readonly state: AuthState<User> & { readonly status: 'second-factor' } }) {
  return (
    <Page title="One more step" lead="Your account has a second factor. Show it, and you are in." isNarrow>
      <ProofForms
        factors={state.factors}
        button="Continue"
        verify={async (proof) => void (await own?.verifySecondFactor(proof))}
      />
      <ActionButton kind="quiet" act={async () => auth.signOut()}>
        Sign in as somebody else
      </ActionButton>
    </Page>
  )
}
