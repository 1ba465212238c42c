import { afterTurn } from './timers.ts'

/**
 * Creates a queue that admits one caller in each turn of the event loop, so that many simultaneous requests do not
 * block the loop.
 *
 * @returns a function that returns `null` to a caller that may start at once, else a promise that resolves in the
 * caller's own turn, in the order of calls.
 */
export function createOneATurn(): () => Promise<void> | null {
  const waiting: (() => void)[] = []
  let isTaken = false
  const endTurn = (): void => {
    const next = waiting.shift()
    isTaken = next !== undefined
    if (!next) return
    afterTurn(endTurn)
    next()
  }
  return () => {
    if (isTaken) return new Promise((resolve) => waiting.push(resolve))
    isTaken = true
    afterTurn(endTurn)
    return null
  }
}
