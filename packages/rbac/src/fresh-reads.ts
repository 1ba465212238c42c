export interface FreshReadsOptions<Value> {
  readonly read: () => Promise<Value>
  /** Is given what was read, in the order in which it was. */
  readonly take: (value: Value) => void
  readonly maxAgeMs: number
  readonly now: () => number
}

export interface FreshReads {
  /** Resolves when what was taken last is no older than the bound; rejects with what `read` throws. */
  refresh(): Promise<void>
  /** What is being read has become old: somebody here knows what was stored at this time or later. */
  overtake(at: number): void
}

interface Running {
  readonly startedAt: number
  readonly done: Promise<void>
}

/**
 * Reads when what is known is too old, one read at a time. The age counts from the start of a read, and nobody is served
 * by one that began before the bound allows: with a bound of 0, none that began before the question.
 */
export function createFreshReads<Value>({ read, take, maxAgeMs, now }: FreshReadsOptions<Value>): FreshReads {
  let knownAt = now()
  let running: Running | null = null
  let waiting: Promise<void> | null = null
  let edits = 0

  /** A clock that was set back makes nothing fresh. */
  const isFresh = (at: number): boolean => {
    const age = now() - at
    return age >= 0 && age < maxAgeMs
  }
  const start = (): Promise<void> => {
    const startedAt = now()
    const before = edits
    const done: Promise<void> = read()
      .then(async (value) => {
        if (edits === before) {
          take(value)
          knownAt = startedAt
        } else if (!isFresh(knownAt)) {
          // Which of the two is newer nobody can tell: what the edit knows will do while it is not too old itself.
          await start()
        }
      })
      .finally(() => {
        if (running?.done === done) running = null
      })
    running = { startedAt, done }
    return done
  }
  return {
    async refresh() {
      if (isFresh(knownAt)) return
      if (!running) return start()
      if (isFresh(running.startedAt)) return running.done
      // Everybody who asks until the running read has ended is served by the next one.
      waiting ??= running.done
        .catch(() => undefined)
        .then(() => {
          waiting = null
          return running ? running.done : start()
        })
      return waiting
    },
    overtake(at) {
      edits += 1
      knownAt = at
    },
  }
}
