import type { ReactNode } from 'react'
import { explain } from '../data/explain.ts'
import { Notice } from './notice.tsx'
import { useAction } from './use-action.ts'

/** A button that does one thing, and says below it if that was refused. */
export function ActionButton({
  act,
  label,
  kind = 'plain',
  children,
}: {
  readonly act: () => Promise<void>
  /** For those who do not see what stands beside the button. */
  readonly label?: string
  readonly kind?: 'plain' | 'primary' | 'quiet'
  readonly children: ReactNode
}) {
  const { isBusy, failure, run } = useAction(act)
  return (
    <>
      <button type="button" className={kind} aria-disabled={isBusy} aria-label={label} onClick={() => void run()}>
        {children}
      </button>
      {failure && <Notice kind="bad">{explain(failure)}</Notice>}
    </>
  )
}
