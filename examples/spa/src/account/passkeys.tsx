import { useState } from 'react'
import { ask } from '../data/ask.ts'
import { own } from '../data/auth.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Field, Form } from '../parts/form.tsx'
import { knowsPasskeys, passkeyAddress } from '../sign-in/passkey-address.ts'
import { readableDate } from './readable-date.ts'
import { RecoveryCodes } from './recovery-codes.tsx'

export interface Passkey {
  readonly id: string
  readonly name: string
  readonly createdAt: string
  readonly lastUsedAt: string | null
}

const removePasskey = 'mutation Remove($id: ID!) { removePasskey(id: $id) }'

export function Passkeys({
  passkeys,
  onChange,
}: {
  readonly passkeys: readonly Passkey[]
  readonly onChange: () => void
}) {
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const add = async ({ name = '' }) => {
    const added = await own?.addPasskey({ name })
    setCodes(added?.recoveryCodes ?? null)
    onChange()
  }
  const remove = (id: string) => async () => {
    await ask(removePasskey, { id })
    onChange()
  }
  return (
    <section className="panel" aria-labelledby="passkeys">
      <h2 id="passkeys">Passkeys</h2>
      {codes && <RecoveryCodes codes={codes} />}
      <ul className="rows">
        {passkeys.map(({ id, name, createdAt }) => (
          <li key={id}>
            <div>
              <strong>{name}</strong>
              <p className="hint">added {readableDate(createdAt)}</p>
            </div>
            <ActionButton label={`Remove ${name}`} act={remove(id)}>
              Remove
            </ActionButton>
          </li>
        ))}
      </ul>
      {knowsPasskeys() ? (
        <Form key={passkeys.length} submit={add} button="Add a passkey">
          <Field name="name" label="Name of the passkey" initial="This device" />
        </Form>
      ) : (
        <p>
          Sign in by your fingerprint, your face or a key. Passkeys belong to a name, not to an address: open{' '}
          <a href={passkeyAddress()}>localhost</a> to add one.
        </p>
      )}
    </section>
  )
}
