import { type FactorStore, type Stored, type StoredShape, StoreError } from '@latchkey/store'

/** A factor as it was read, to be replaced by its version. */
export interface ReadFactor<Value extends object> {
  readonly version: number
  readonly value: Stored<Value>
}

/** The factors of one kind, of which an account has one at most: its id is the kind and the account. */
export interface StoredFactors<Value extends object> {
  /** @throws TypeError when it is no id of an account: all of them would share one factor. */
  idOf(accountId: string): string
  read(accountId: string): Promise<ReadFactor<Value> | null>
  /** Compare and swap on what was read: true for exactly one caller. */
  replace(accountId: string, current: ReadFactor<Value>, value: Stored<Value>): Promise<boolean>
  /** Stores a value where there is none: true for exactly one caller. */
  add(accountId: string, value: Value): Promise<boolean>
  /**
   * Stores a value whatever stands there.
   * @throws StoreError when other callers keep changing it.
   */
  put(accountId: string, value: Value): Promise<void>
}

/** Each lost race is a change by another caller: more of them than this are no people. */
const mostAttempts = 100

export function createStoredFactors<Value extends object>(options: {
  readonly factors: FactorStore
  readonly kind: string
  readonly shape: StoredShape<Value>
  readonly writes: () => number
}): StoredFactors<Value> {
  const { factors, kind, shape, writes } = options
  const idOf = (accountId: string): string => {
    if (typeof accountId === 'string' && accountId !== '') return `${kind}:${accountId}`
    throw new TypeError('"accountId" must be a text that is not empty')
  }
  return {
    idOf,
    async read(accountId) {
      const factor = await factors.get(idOf(accountId))
      return factor && { version: factor.version, value: shape.parse(factor.value) }
    },
    replace: (accountId, { version }, value) =>
      factors.replace(idOf(accountId), version, shape.format(value, writes())),
    add: async (accountId, value) =>
      factors.insert({ id: idOf(accountId), accountId, kind, value: shape.format(value, writes()) }),
    async put(accountId, value) {
      const id = idOf(accountId)
      const text = shape.format(value, writes())
      for (let attempt = 0; attempt < mostAttempts; attempt++) {
        const current = await factors.get(id)
        const isStored = current
          ? await factors.replace(id, current.version, text)
          : await factors.insert({ id, accountId, kind, value: text })
        if (isStored) return
      }
      throw new StoreError(
        'STORE_UNAVAILABLE',
        'other callers keep changing this factor: nothing was stored, try again',
      )
    },
  }
}
