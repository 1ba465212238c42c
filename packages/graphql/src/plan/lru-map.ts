/** A map that drops the least recently used entries, by number and by weight. */
export interface LruMap<Key, Value> {
  get(key: Key): Value | undefined
  /** @param weight the cost of the entry, in the unit of `weightAtMost`. */
  set(key: Key, value: Value, weight: number): void
}

export interface LruMapOptions {
  readonly entriesAtMost: number
  readonly weightAtMost: number
}

export function createLruMap<Key, Value>({ entriesAtMost, weightAtMost }: LruMapOptions): LruMap<Key, Value> {
  const entries = new Map<Key, Entry<Key, Value>>()
  let total = 0
  let oldest: Entry<Key, Value> | null = null
  let newest: Entry<Key, Value> | null = null
  const unlink = (entry: Entry<Key, Value>): void => {
    if (entry.older) entry.older.newer = entry.newer
    else oldest = entry.newer
    if (entry.newer) entry.newer.older = entry.older
    else newest = entry.older
  }
  const linkNewest = (entry: Entry<Key, Value>): void => {
    entry.older = newest
    entry.newer = null
    if (newest) newest.newer = entry
    else oldest = entry
    newest = entry
  }
  const forget = (entry: Entry<Key, Value>): void => {
    total -= entry.weight
    unlink(entry)
    entries.delete(entry.key)
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (entry !== newest) {
        unlink(entry)
        linkNewest(entry)
      }
      return entry.value
    },
    set(key, value, weight) {
      const known = entries.get(key)
      if (known) forget(known)
      const entry: Entry<Key, Value> = { key, value, weight, older: null, newer: null }
      linkNewest(entry)
      entries.set(key, entry)
      total += weight
      while (oldest && (entries.size > entriesAtMost || total > weightAtMost)) forget(oldest)
    },
  }
}

/** Linked by use: the order of the map itself would have to change at every read. */
interface Entry<Key, Value> {
  readonly key: Key
  readonly value: Value
  readonly weight: number
  older: Entry<Key, Value> | null
  newer: Entry<Key, Value> | null
}
