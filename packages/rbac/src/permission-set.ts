/** Permissions as bits of one policy, so that a check compares words however many permissions there are. */
export interface PermissionSet {
  /** Sorted, without duplicates. */
  readonly names: readonly string[]
}

/** Maps the names of permissions to bits. */
export interface PermissionTable {
  readonly names: readonly string[]
  /** Returns the bit of a name, or -1 for an unknown one. */
  bitOf(name: string): number
  /** @throws TypeError naming the unknown permissions. */
  setOf(names: readonly string[]): PermissionSet
  /** Returns the words of a set of this table, or `null`: the bits of another policy have another meaning. */
  wordsOf(set: PermissionSet): AskedWords | null
}

export type PermissionWords = Uint32Array

/** The range of words with at least one bit: most sets have a single permission, in one of many words. */
export interface AskedWords {
  readonly words: PermissionWords
  /** The first word, and the one after the last. */
  readonly from: number
  readonly to: number
}

/** Its bits are private, so that a set cannot be imitated with fewer of them. */
class InternedSet implements PermissionSet {
  readonly names: readonly string[]
  readonly #words: AskedWords
  readonly #permissionTable: PermissionTable

  constructor(names: readonly string[], words: PermissionWords, permissionTable: PermissionTable) {
    this.names = Object.freeze([...names])
    const isUsed = (word: number): boolean => word !== 0
    this.#words = { words, from: Math.max(words.findIndex(isUsed), 0), to: words.findLastIndex(isUsed) + 1 }
    this.#permissionTable = permissionTable
    Object.freeze(this)
  }

  static wordsOf(set: object, permissionTable: PermissionTable): AskedWords | null {
    return #words in set && set.#permissionTable === permissionTable ? set.#words : null
  }
}

export function createPermissionTable(names: readonly string[]): PermissionTable {
  const bits = new Map(names.map((name, bit) => [name, bit]))
  const permissionTable: PermissionTable = {
    names,
    bitOf: (name) => bits.get(name) ?? -1,
    setOf(asked) {
      const unknown = asked.filter((name) => !bits.has(name))
      if (unknown.length > 0) throw new TypeError(`unknown permission ${quoteAll(unknown)}`)
      const sorted = [...new Set(asked)].sort()
      const words = emptyWords(names.length)
      for (const name of sorted) addBit(words, bits.get(name) ?? -1)
      return new InternedSet(sorted, words, permissionTable)
    },
    wordsOf: (set) => InternedSet.wordsOf(set, permissionTable),
  }
  return permissionTable
}

export function emptyWords(permissions: number): Uint32Array {
  return new Uint32Array(Math.ceil(permissions / 32))
}

export function addBit(words: PermissionWords, bit: number): void {
  if (bit >= 0) words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << (bit & 31))
}

/** False for -1, the bit of an unknown permission. */
export function hasBit(words: PermissionWords, bit: number): boolean {
  return bit >= 0 && (((words[bit >>> 5] ?? 0) >>> (bit & 31)) & 1) === 1
}

export function addAll(words: PermissionWords, added: PermissionWords): void {
  for (let index = 0; index < words.length; index++) words[index] = (words[index] ?? 0) | (added[index] ?? 0)
}

export function keepOnly(words: PermissionWords, kept: PermissionWords): void {
  for (let index = 0; index < words.length; index++) words[index] = (words[index] ?? 0) & (kept[index] ?? 0)
}

export function includesAll(words: PermissionWords, { words: asked, from, to }: AskedWords): boolean {
  for (let index = from; index < to; index++) {
    const word = asked[index] ?? 0
    if (((words[index] ?? 0) & word) >>> 0 !== word) return false
  }
  return true
}

export function quoteAll(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}
