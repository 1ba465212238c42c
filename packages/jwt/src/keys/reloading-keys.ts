export interface ReloadingKeysOptions<T extends object> {
  readonly load: () => Promise<T>
  /** Older keys are not used; from half of this age on they are loaded again in the background. */
  readonly maxAgeMs: number
  readonly now: () => number
}

/** A copy in memory of keys that are stored elsewhere. */
export interface ReloadingKeys<T extends object> {
  /** Returns keys that are not older than allowed. */
  current(): Promise<T>
  /** Returns the keys in memory if they are not older than allowed, else `null`. */
  kept(): T | null
  /** Returns the keys of a load that starts after the call. */
  reload(): Promise<T>
  /**
   * Loads again, unless a load started less than `ms` milliseconds ago: then returns `null`, or throws the failure of
   * that load.
   */
  reloadAfter(ms: number): Promise<T | null>
}

/** The shortest time between two attempts while the source of the keys is not available. */
const retryMs = 1000

/**
 * A load of this age is abandoned: platforms that cancel the work of a request with its response, for example Workers,
 * never settle it, and its waiters would hang.
 */
const lostMs = 10_000

/** Creates keys that are loaded when needed: one load at a time, never more often than allowed. Failures are thrown. */
export function createReloadingKeys<T extends object>(options: ReloadingKeysOptions<T>): ReloadingKeys<T> {
  const { load, maxAgeMs, now } = options
  let loaded: { readonly keys: T; readonly at: number } | null = null
  let last: { readonly at: number; failure: { readonly error: unknown } | null } | null = null
  let loading: Promise<T> | null = null
  // In both directions: a clock that was set back must not extend the age of old keys.
  const isWithin = (at: number | undefined, ms: number) => at !== undefined && Math.abs(now() - at) < ms

  async function loadOnce(): Promise<T> {
    const attempt: NonNullable<typeof last> = { at: now(), failure: null }
    last = attempt
    try {
      const keys = await load()
      // One that a later load has overtaken brings no older keys back.
      if (last === attempt) loaded = { keys, at: attempt.at }
      return keys
    } catch (error) {
      attempt.failure = { error }
      throw error
    }
  }
  const underWay = (): Promise<T> | null => (isWithin(last?.at, lostMs) ? loading : null)
  function start(): Promise<T> {
    const running = underWay()
    if (running) return running
    const load: Promise<T> = loadOnce().finally(() => {
      if (loading === load) loading = null
    })
    loading = load
    return load
  }
  async function reloadAfter(ms: number): Promise<T | null> {
    const running = underWay()
    if (running) return running
    if (!isWithin(last?.at, ms)) return start()
    if (last?.failure) throw last.failure.error
    return null
  }
  function kept(): T | null {
    if (!loaded || !isWithin(loaded.at, maxAgeMs)) return null
    if (!isWithin(loaded.at, maxAgeMs / 2)) reloadAfter(retryMs).catch(() => null) // thrown once the keys are too old
    return loaded.keys
  }
  return {
    current: async () => kept() ?? (await reloadAfter(retryMs)) ?? start(),
    kept,
    async reload() {
      await underWay()?.catch(() => null) // it may have begun before the change that the caller expects
      return start()
    },
    reloadAfter,
  }
}
