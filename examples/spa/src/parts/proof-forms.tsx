import type { Factor, Proof } from '@latchkey/client'
import { ActionButton } from './action-button.tsx'
import { Field, Form } from './form.tsx'

/** A form for each kind of proof that the account accepts. */
export function ProofForms({
  factors,
  button,
  verify,
}: {
  readonly factors: readonly Factor[]
  readonly button: string
  readonly verify: (proof: Proof) => Promise<void>
}) {
  const hasApp = factors.includes('totp')
  const hasCodes = factors.includes('recovery-code')
  const label = hasApp ? 'Code from your authenticator app' : 'Recovery code'
  return (
    <>
      {factors.includes('password') && (
        <Form submit={({ password = '' }) => verify({ password })} button={button}>
          <Field name="password" label="Password" type="password" autoComplete="current-password" />
        </Form>
      )}
      {(hasApp || hasCodes) && (
        <Form submit={({ code = '' }) => verify({ code: code.trim() })} button={button}>
          <Field
            name="code"
            label={label}
            autoComplete="one-time-code"
            {...(hasApp && hasCodes && { hint: 'Without your phone: one of your recovery codes.' })}
          />
        </Form>
      )}
      {factors.includes('passkey') && (
        <ActionButton kind={hasApp ? 'plain' : 'primary'} act={() => verify({ passkey: true })}>
          Use a passkey
        </ActionButton>
      )}
    </>
  )
}
