import { atDeadline, type Timer } from '@latchkey/core/internal'

/** Notices a connection to the wrong server: after a failover it stays open, and the address leads to another server. */
export interface ServerWatch {
  /** The server has refused a command. */
  refused(error: unknown): void
  /** The server has done a command. */
  served(): void
  /** The connection was lost: its refusals do not count for the next connection. */
  lost(): void
}

export interface ServerWatchOptions {
  /** How long a server may load its data, or lack its replicas, in milliseconds. */
  readonly patienceMs: number
  /** Drops the connection, so that the client opens a new connection. */
  readonly drop: () => void
}

/** Errors of a replica, also of a primary at the moment of its demotion. */
const replica = /^(READONLY|MASTERDOWN|UNBLOCKED)\b/
/** Errors of a server that may serve soon, or may be a former primary. */
const notYet = /^(LOADING|NOREPLICAS)\b/

/** The pause doubles with each drop, up to the longest, until a server serves. */
const shortestPauseMs = 500
const longestPauseMs = 2000

export function createServerWatch({ patienceMs, drop }: ServerWatchOptions): ServerWatch {
  let timer: Timer | null = null
  let dropAt = Number.POSITIVE_INFINITY
  let pausesUntil = Number.NEGATIVE_INFINITY
  let pauseMs = shortestPauseMs

  function forget(): void {
    timer?.stop()
    timer = null
    dropAt = Number.POSITIVE_INFINITY
  }

  function giveUp(): void {
    forget()
    pausesUntil = performance.now() + pauseMs
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    drop()
  }

  return {
    refused(error) {
      const text = error instanceof Error ? error.message : ''
      if (!replica.test(text) && !notYet.test(text)) return
      const now = performance.now()
      const at = Math.max(pausesUntil, now + (notYet.test(text) ? patienceMs : 0))
      if (at >= dropAt) return
      timer?.stop()
      dropAt = at
      // A process that has nothing else to do may end.
      timer = atDeadline(at - now, giveUp).unref()
    },
    served() {
      forget()
      pauseMs = shortestPauseMs
    },
    lost: forget,
  }
}
