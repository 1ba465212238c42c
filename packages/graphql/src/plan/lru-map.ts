/** A map that forgets what was not used for longest, by number and by weight. */
export interface LruMap<Key, Value> {
  get(key: Key): Value | undefined
  /** @param weight what keeping it costs, in the unit of `weightAtMost`. */
  set(key: Key, value: Value, weight: number): void
}

export interface LruMapOptions {
  readonly entriesAtMost: number
  readonly weightAtMost: number
}

export function createLruMap<Key, Value>({ entriesAtMost, weightAtMost }: LruMapOptions): LruMap<Key, Value> {
  const entries = new Map<Key, { readonly value: Value; readonly weight: number }>()
  let total = 0
  const forget = (key: Key): void => {
    total -= entries.get(key)?.weight ?? 0
    entries.delete(key)
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set(key, value, weight) {
      forget(key)
      entries.set(key, { value, weight })
      total += weight
      for (const oldest of entries.keys()) {
        if (entries.size <= entriesAtMost && total <= weightAtMost) break
        forget(oldest)
      }
    },
  }
}
