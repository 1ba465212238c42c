export interface ReloadingKeysOptions<T> {
  readonly load: () => Promise<T>
  /** Older than this they are not used; from half of it on they are loaded anew in the background. */
  readonly maxAgeMs: number
  readonly now: () => number
}

/** Keys that lie elsewhere, kept at hand. */
export interface ReloadingKeys<T> {
  /** Gives keys that are not too old. */
  current(): Promise<T>
  /** Gives the keys as a load that begins after the call finds them. */
  reload(): Promise<T>
  /** Loads, unless a load began less than so many milliseconds ago: then `null`, or what failed. */
  reloadAfter(ms: number): Promise<T | null>
}

/** The shortest time between two attempts while what the keys come from is out of reach. */
const retryMs = 1000

/** Gives keys that load themselves when needed: one load at a time, never more often than told, failures thrown. */
export function createReloadingKeys<T>(options: ReloadingKeysOptions<T>): ReloadingKeys<T> {
  const { load, maxAgeMs, now } = options
  let loaded: { readonly keys: T; readonly at: number } | null = null
  let last: { readonly at: number; failure: { readonly error: unknown } | null } | null = null
  let loading: Promise<T> | null = null
  // Either way round: a clock that was set back must not keep old keys for as long.
  const isWithin = (at: number | undefined, ms: number) => at !== undefined && Math.abs(now() - at) < ms

  async function loadOnce(): Promise<T> {
    const attempt: NonNullable<typeof last> = { at: now(), failure: null }
    last = attempt
    try {
      const keys = await load()
      loaded = { keys, at: attempt.at }
      return keys
    } catch (error) {
      attempt.failure = { error }
      throw error
    }
  }
  function start(): Promise<T> {
    loading ??= loadOnce().finally(() => {
      loading = null
    })
    return loading
  }
  async function reloadAfter(ms: number): Promise<T | null> {
    if (loading) return loading
    if (!isWithin(last?.at, ms)) return start()
    if (last?.failure) throw last.failure.error
    return null
  }
  async function current(): Promise<T> {
    if (!loaded || !isWithin(loaded.at, maxAgeMs)) return (await reloadAfter(retryMs)) ?? start()
    if (!isWithin(loaded.at, maxAgeMs / 2)) reloadAfter(retryMs).catch(() => null) // told once they are too old to use
    return loaded.keys
  }
  return {
    current,
    async reload() {
      await loading?.catch(() => null) // it may have begun before what the caller wants to see
      return start()
    },
    reloadAfter,
  }
}
