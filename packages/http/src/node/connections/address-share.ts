import { afterTurn } from '@latchkey/time'

/** What the connections of one address may do in one turn of the event loop. */
export interface AddressShare {
  /** Whether the address has time left in this turn, and none of its connections waits. */
  hasTime(): boolean
  /** Counts what was done for the address. */
  spend(milliseconds: number): void
  /** Calls the work in a later turn, in the order of the calls. */
  wait(work: () => void): void
  /** Counts bytes that wait, negative when they no longer do. False if the address holds too many now. */
  hold(bytes: number): boolean
}

/** An address parses for so long in a turn. The last piece may take longer. */
const turnMs = 0.5
/** After such a pause another turn has begun. */
const pauseMs = 2
/** The buffers of some sixty connections. */
const heldBytesAtMost = 8_000_000

export function createAddressShare(): AddressShare {
  const waiting: (() => void)[] = []
  let spentMs = 0
  let spentAt = Number.NEGATIVE_INFINITY
  let heldBytes = 0
  let isAwaited = false
  const endTurn = (): void => {
    isAwaited = false
    spentMs = 0
    try {
      while (waiting.length > 0 && spentMs < turnMs) waiting.shift()?.()
    } finally {
      // A listener of the application may have thrown.
      if (waiting.length > 0) awaitTurn()
    }
  }
  const awaitTurn = (): void => {
    if (!isAwaited) afterTurn(endTurn)
    isAwaited = true
  }
  return {
    hasTime() {
      if (performance.now() - spentAt > pauseMs) spentMs = 0
      return spentMs < turnMs && waiting.length === 0
    },
    spend(milliseconds) {
      spentMs += milliseconds
      spentAt = performance.now()
      if (spentMs >= turnMs) awaitTurn()
    },
    wait(work) {
      waiting.push(work)
      awaitTurn()
    },
    hold(bytes) {
      heldBytes += bytes
      return heldBytes <= heldBytesAtMost
    },
  }
}
