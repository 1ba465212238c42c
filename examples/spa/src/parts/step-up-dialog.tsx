import type { StepUpRequest } from '@latchkey/client'
import { useStepUp } from '@latchkey/client/react'
import { useEffect, useRef } from 'react'
import { auth, oauth } from '../data/auth.ts'
import { ProofForms } from './proof-forms.tsx'

/** Shows a dialog if a request of any view needs a fresh proof. After the proof the client sends the request again. */
export function StepUpDialog() {
  const request = useStepUp(auth)
  return request && <Dialog request={request} />
}

function Dialog({ request }: { readonly request: StepUpRequest }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal()
  }, [])
  const minutes = Math.round(request.maxAgeSeconds / 60)
  return (
    <dialog ref={dialog} aria-labelledby="step-up" onCancel={() => request.cancel()}>
      <h2 id="step-up">Confirm that it is you</h2>
      <p className="muted">
        This changes who can sign in, so the service asks for a proof that is at most {minutes} minutes old. Then it
        goes on by itself.
      </p>
      {oauth ? (
        <button type="button" className="primary" onClick={() => void request.verify({ password: '' })}>
          Continue at the service
        </button>
      ) : (
        <ProofForms factors={request.factors} button="Confirm" verify={(proof) => request.verify(proof)} />
      )}
      <button type="button" className="quiet" onClick={() => request.cancel()}>
        Cancel
      </button>
    </dialog>
  )
}
