import { afterTurn } from '@latchkey/core/internal'

/** Numbers the turns of the event loop. */
export interface LoopTurns {
  /** Returns the number of this turn: another one once what is ready in this one was handled. */
  current(): number
}

/** Creates a count of the turns in which it is asked for. */
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
