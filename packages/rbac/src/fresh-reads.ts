export interface FreshReadsOptions<Value> {
  readonly read: () => Promise<Value>
  /** Receives what was read, in the order of the reads. */
  readonly take: (value: Value) => void
  readonly maxAgeMs: number
  readonly now: () => number
}

export interface FreshReads {
  /**
   * Resolves when the last value is no older than the bound.
   *
   * @throws the error of `read`.
   */
  refresh(): Promise<void>
  /** Discards the running read: this process knows the value as of this time or later. */
  overtake(at: number): void
}

interface Running {
  readonly startedAt: number
  readonly done: Promise<void>
}

/**
 * Reads if the known value is too old, one read at a time. The age counts from the start of the read. No caller gets
 * the value of a read that started too early; with a bound of 0, of a read that started before the call.
 */
export function createFreshReads<Value>({ read, take, maxAgeMs, now }: FreshReadsOptions<Value>): FreshReads {
  let knownAt = now()
  let running: Running | null = null
  let waiting: Promise<void> | null = null
  let edits = 0

  /** A clock that was set back makes no value fresh. */
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
          // Which of the two is newer is unknown. The value of the edit is used until it is too old itself.
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
      // All callers until the end of the running read share the next one.
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
