/** Permissions as bits of one policy, so that a check is a comparison of words however many there are. */
export interface PermissionSet {
  /** Sorted, each once. */
  readonly names: readonly string[]
}

/** The one place where a permission's name becomes a bit. */
export interface PermissionTable {
  readonly names: readonly string[]
  /** The bit of a name, or -1 when the policy does not know it. */
  bitOf(name: string): number
  /** @throws TypeError naming the permissions that the policy does not know. */
  setOf(names: readonly string[]): PermissionSet
  /** The words of a set that this permissionTable made, or `null`: bits of another policy mean something else. */
  wordsOf(set: PermissionSet): AskedWords | null
}

export type PermissionWords = Uint32Array

/** The words of a set in which there is a bit at all: most sets are of one permission, in one word of many. */
export interface AskedWords {
  readonly words: PermissionWords
  /** The first of them, and the one after the last. */
  readonly from: number
  readonly to: number
}

/** Its bits are private, so that nobody makes a set that looks smaller than it is. */
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

/** False for -1, the bit of a permission that does not exist. */
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
