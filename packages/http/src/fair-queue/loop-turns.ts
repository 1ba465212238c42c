import { afterTurn } from '@latchkey/core/internal'

/** Numbers the turns of the event loop. */
export interface LoopTurns {
  /** Returns the number of this turn. It changes after the callbacks that are ready in this turn. */
  current(): number
}

/** Creates a counter of turns; it advances only after a call of `current`. */
export function createLoopTurns(): LoopTurns {
  let number = 0
  let isAwaited = false
  const end = (): void => {
    isAwaited = false
    number++
  }
  return {
    current() {
      if (!isAwaited) afterTurn(end)
      isAwaited = true
      return number
    },
  }
}
