import type { ReactNode } from 'react'
import { explain } from '../data/explain.ts'
import { Notice } from './notice.tsx'
import { useAction } from './use-action.ts'

/** A button for one action, with its failure below it. */
export function ActionButton({
  act,
  label,
  kind = 'plain',
  children,
}: {
  readonly act: () => Promise<void>
  /** The text for screen readers, if the text of the button needs its neighbours to be understood. */
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
