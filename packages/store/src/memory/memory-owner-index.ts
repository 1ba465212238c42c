/** An entry of the index: a number that increases with each insert, and whether the record was removed. */
export interface Owned {
  readonly sequence: number
  isGone: boolean
}

/** The entries of each owner in the order of insertion. */
export interface MemoryOwnerIndex<Entry extends Owned> {
  add(owner: string, entry: Entry): void
  remove(owner: string, entry: Entry): void
  /** Returns the owner's entries after that number, in order, without those removed in the meantime. */
  after(owner: string, sequence: number): Iterable<Entry>
}

interface Row<Entry> {
  entries: Entry[]
  gone: number
}

/**
 * Creates an index in which the cost of a page depends on its length only, and the cost of a removal is constant:
 * removed entries remain in their row until they are half of it.
 */
export function createMemoryOwnerIndex<Entry extends Owned>(): MemoryOwnerIndex<Entry> {
  const rows = new Map<string, Row<Entry>>()
  return {
    add(owner, entry) {
      const row = rows.get(owner)
      if (row) row.entries.push(entry)
      else rows.set(owner, { entries: [entry], gone: 0 })
    },
    remove(owner, entry) {
      const row = rows.get(owner)
      if (!row) return
      entry.isGone = true
      row.gone++
      if (row.gone === row.entries.length) rows.delete(owner)
      else if (row.gone * 2 > row.entries.length) {
        row.entries = row.entries.filter(({ isGone }) => !isGone)
        row.gone = 0
      }
    },
    *after(owner, sequence) {
      const row = rows.get(owner)
      if (!row) return
      const { entries } = row
      for (let index = firstAfter(entries, sequence); index < entries.length; index++) {
        const entry = entries[index]
        if (entry && !entry.isGone) yield entry
      }
    },
  }
}

/** Returns the position of the first entry with a greater number. */
function firstAfter(entries: readonly Owned[], sequence: number): number {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle]?.sequence ?? 0) > sequence) high = middle
    else low = middle + 1
  }
  return low
}
