import { createContext, type FormEvent, type ReactNode, useContext, useId } from 'react'
import { explain } from '../data/explain.ts'
import { isAuthError } from '../data/is-auth-error.ts'
import { Notice } from './notice.tsx'
import { useAction } from './use-action.ts'

/** The name of the refused field, and the reason. */
const Refused = createContext<{ readonly field: string; readonly reason: string } | null>(null)

type Values = Readonly<Record<string, string>>

/** A form that passes its values on by name. A refusal is shown at its field, or above the form. */
export function Form({
  submit,
  button,
  actions,
  children,
}: {
  readonly submit: (values: Values) => Promise<void>
  readonly button: string
  readonly actions?: ReactNode
  readonly children?: ReactNode
}) {
  const { isBusy, failure, run } = useAction(submit)
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    void run(Object.fromEntries(new FormData(event.currentTarget)) as Values)
  }
  const field = isAuthError(failure) ? failure.field?.replace(/^input\./, '') : undefined
  const refused = failure && field ? { field, reason: failure.message } : null
  return (
    <form onSubmit={send} className="form">
      {failure && !refused && <Notice kind="bad">{explain(failure)}</Notice>}
      <Refused.Provider value={refused}>{children}</Refused.Provider>
      <div className="actions">
        <button type="submit" className="primary" aria-disabled={isBusy}>
          {button}
        </button>
        {actions}
      </div>
    </form>
  )
}

interface FieldProps {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly type?: 'text' | 'email' | 'password'
  readonly autoComplete?: string
  readonly inputMode?: 'numeric' | 'email'
  readonly initial?: string
  readonly isOptional?: boolean
  readonly minLength?: number
  readonly rows?: number
}

export function Field({ name, label, hint, initial, isOptional = false, rows, ...input }: FieldProps) {
  const id = useId()
  const refused = useContext(Refused)
  const reason = refused?.field === name ? refused.reason : null
  const described = [hint && `${id}-hint`, reason && `${id}-reason`].filter(Boolean).join(' ') || undefined
  const shared = {
    id,
    name,
    defaultValue: initial,
    required: !isOptional,
    'aria-describedby': described,
    'aria-invalid': reason !== null,
  }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {rows === undefined ? <input type="text" {...input} {...shared} /> : <textarea rows={rows} {...shared} />}
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      {reason && (
        <p id={`${id}-reason`} className="reason" role="alert">
          {reason}
        </p>
      )}
    </div>
  )
}
