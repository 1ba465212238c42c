import { afterTurn } from './timers.ts'

/**
 * Creates a row that one has its place of in each turn of the event loop: many that have arrived at once would hold it
 * together, however little each of them takes. What it returns takes a place: `null` where it may begin at once, else a promise
 * that resolves in the turn that is its own, in the order in which places were taken.
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
