import { afterTurn } from '@latchkey/core/internal'

/** The share of one address in each turn of the event loop. */
export interface AddressShare {
  /** Whether the address has time left in this turn and no waiting connection. */
  hasTime(): boolean
  /** Counts time that was spent on the address. */
  spend(milliseconds: number): void
  /** Calls the work in a later turn, in the order of the calls. */
  wait(work: () => void): void
  /** Counts waiting bytes, or discounts them if negative. False if the address now holds too many. */
  hold(bytes: number): boolean
}

/** The parsing time of an address in one turn. The last piece may exceed it. */
const turnMs = 0.5
/** A pause of this length is in another turn. */
const pauseMs = 2
/** The buffers of about sixty connections. */
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
