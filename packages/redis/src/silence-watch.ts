import { atDeadline, type Timer } from '@latchkey/core/internal'
/** Notices that a connection is silently dead: no event says so, only the absence of answers. */
export interface SilenceWatch {
  /** A command is sent. Returns a function for when it was answered, or failed, however late. */
  sent(): () => void
  /** The caller of a command has timed out. The watch starts here, and costs no time before. */
  gaveUp(): void
  /** The connection was lost: commands sent on it do not count for the next connection. */
  lost(): void
  stop(): void
}

export interface SilenceWatchOptions {
  /** How long a connection may leave all commands unanswered, in milliseconds. */
  readonly silenceMs: number
  /** Drops the connection, so that the client opens a new connection. */
  readonly drop: () => void
}

/** A server that is down answers on no connection: each further one gets twice the time, up to this. */
const patienceMs = 5000

/** A client sends its commands in order on one connection, so an answer to one is a sign of life for all before it. */
export function createSilenceWatch({ silenceMs, drop }: SilenceWatchOptions): SilenceWatch {
  let connection = 0
  let unanswered = 0
  let silentSince = 0
  let limitMs = silenceMs
  let timer: Timer | null = null

  function forget(): void {
    connection++
    unanswered = 0
    clearTimer()
  }

  function clearTimer(): void {
    timer?.stop()
    timer = null
  }

  function judge(): void {
    timer = null
    if (unanswered === 0) return
    if (performance.now() - silentSince < limitMs) {
      watch()
      return
    }
    limitMs = Math.max(limitMs, Math.min(limitMs * 2, patienceMs))
    forget()
    drop()
  }

  function watch(): void {
    // A process that has nothing else to do may end.
    timer = atDeadline(Math.max(0, silentSince + limitMs - performance.now()), judge).unref()
  }

  return {
    sent() {
      if (unanswered === 0) silentSince = performance.now()
      unanswered++
      const on = connection
      return () => {
        if (on !== connection) return
        unanswered--
        silentSince = performance.now()
        limitMs = silenceMs
      }
    },
    gaveUp() {
      if (unanswered > 0 && timer === null) watch()
    },
    lost: forget,
    stop: forget,
  }
}
