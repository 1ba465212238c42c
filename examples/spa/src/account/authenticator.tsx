import { useState } from 'react'
import { own } from '../data/auth.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Field, Form } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

type Enrollment = { readonly secret: string; readonly qrCodeSvg: string }

/** Enrols an authenticator app: start, scan, confirm with the first code, keep the recovery codes. */
export function Authenticator({ hasApp, onChange }: { readonly hasApp: boolean; readonly onChange: () => void }) {
  const [enrollment, setEnrollment] = useState<Enrollment | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const begin = async () => setEnrollment((await own?.startTotpEnrollment()) ?? null)
  const confirm = async ({ code = '' }) => {
    const confirmed = await own?.confirmTotpEnrollment({ code: code.trim() })
    setEnrollment(null)
    setCodes(confirmed?.codes ?? [])
    onChange()
  }
  return (
    <section className="panel" aria-labelledby="app">
      <h2 id="app">Authenticator app {hasApp && <span className="badge new">On</span>}</h2>
      {codes && <RecoveryCodes codes={codes} />}
      {enrollment ? (
        <Enroll enrollment={enrollment} confirm={confirm} />
      ) : (
        <>
          <p>
            {hasApp
              ? 'Signing in asks for a code from your app.'
              : 'Signing in will ask for a code from your phone, too.'}
          </p>
          <ActionButton kind={hasApp ? 'plain' : 'primary'} act={begin}>
            {hasApp ? 'Set up another app' : 'Set up an app'}
          </ActionButton>
        </>
      )}
    </section>
  )
}

function Enroll({
  enrollment: { secret, qrCodeSvg },
  confirm,
}: {
  readonly enrollment: Enrollment
  readonly confirm: (values: Readonly<Record<string, string>>) => Promise<void>
}) {
  return (
    <>
      <Notice>Scan this with your app, or type the key, then confirm by the code that the app shows.</Notice>
      <img
        className="qr"
        src={`data:image/svg+xml,${encodeURIComponent(qrCodeSvg)}`}
        alt="QR code of the setup key below"
      />
      <p>
        <span id="setup-key">Setup key</span> <code className="key">{secret.match(/.{1,4}/g)?.join(' ')}</code>
      </p>
      <Form submit={confirm} button="Confirm code">
        <Field name="code" label="Code from your authenticator app" autoComplete="one-time-code" inputMode="numeric" />
      </Form>
    </>
  )
}
