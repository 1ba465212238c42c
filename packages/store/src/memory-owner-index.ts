/** What the index holds of a record: a number that rises with each insert, and whether it is still there. */
export interface Owned {
  readonly sequence: number
  isGone: boolean
}

/** Entries of owners in the order of their insertion. */
export interface MemoryOwnerIndex<Entry extends Owned> {
  add(owner: string, entry: Entry): void
  remove(owner: string, entry: Entry): void
  /** The owner's entries after that number, in order; those that are removed meanwhile are left out. */
  after(owner: string, sequence: number): Iterable<Entry>
}

interface Row<Entry> {
  entries: Entry[]
  gone: number
}

/**
 * Gives an index in which a page costs what stands on it, wherever it begins, and a removal costs the same however many
 * there are: removed entries stay where they are until they are half of their row.
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
      if (!row || entry.isGone) return
      entry.isGone = true
      row.gone++
      if (row.gone === row.entries.length) rows.delete(owner)
      else if (row.gone * 2 > row.entries.length) {
        row.entries = row.entries.filter(({ isGone }) => !isGone)
        row.gone = 0
      }
    },
    *after(owner, sequence) {
      const entries = rows.get(owner)?.entries ?? []
      for (let index = firstAfter(entries, sequence); index < entries.length; index++) {
        const entry = entries[index]
        if (entry && !entry.isGone) yield entry
      }
    },
  }
}

/** Where the first entry with a greater number stands. */
function firstAfter(entries: readonly Owned[], sequence: number): number {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle]?.sequence ?? 0) > sequence) high = middle
    else low = middle + 1
  }
  return low
}
