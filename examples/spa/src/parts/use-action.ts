import { useState } from 'react'
import { isAuthError } from '../data/is-auth-error.ts'

export interface Action<Input> {
  readonly isBusy: boolean
  readonly failure: Error | null
  run(input: Input): Promise<void>
}

/** Runs an action, never twice at once, and keeps its failure. A step-up that the user cancels is not a failure. */
export function useAction<Input = void>(act: (input: Input) => Promise<void>): Action<Input> {
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Error | null>(null)
  const run = async (input: Input) => {
    if (isBusy) return
    setBusy(true)
    setFailure(null)
    try {
      await act(input)
    } catch (error) {
      const isCancelled = isAuthError(error) && error.code === 'STEP_UP_CANCELLED'
      if (!isCancelled) setFailure(error as Error)
    }
    setBusy(false)
  }
  return { isBusy, failure, run }
}
