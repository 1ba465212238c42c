import { type FactorStore, type Stored, type StoredFactor, StoreError } from '@latchkey/store'
import { formatPasskey, type PasskeyValue, passkeyKind, readPasskey, type StoredPasskey } from './passkey.ts'

/** Passkeys in a factor store, which holds other factors as well. */
export interface PasskeyStore {
  get(id: string): Promise<StoredPasskey | null>
  /** Returns whose it is, also of a value that this release cannot read: it can be removed. */
  ownerOf(id: string): Promise<string | null>
  /** Returns the passkeys of an account, the oldest first. */
  list(accountId: string): Promise<readonly StoredPasskey[]>
  /** False when the id exists. */
  insert(id: string, accountId: string, value: PasskeyValue): Promise<boolean>
  /**
   * Changes a passkey and returns it as it is then; `null` when it was removed. `change` is called again when another
   * process was faster, and whatever it returns instead of a value ends the attempt.
   */
  change<Stop>(
    id: string,
    change: (value: Stored<PasskeyValue>, accountId: string) => Stored<PasskeyValue> | { readonly stop: Stop },
  ): Promise<StoredPasskey | { readonly stop: Stop } | null>
  remove(id: string): Promise<boolean>
  /** The same but for the last one of its account, which stays. */
  removeUnlessLast(id: string): Promise<boolean>
}

/** Each lost round is a change that another process made to this one passkey. */
const rounds = 64

export function createPasskeyStore(factors: FactorStore): PasskeyStore {
  async function find(id: string): Promise<StoredFactor | null> {
    const factor = await factors.get(id)
    return factor?.kind === passkeyKind ? factor : null
  }
  async function get(id: string): Promise<StoredPasskey | null> {
    const factor = await find(id)
    return factor && readPasskey(factor)
  }
  return {
    get,
    ownerOf: async (id) => (await find(id))?.accountId ?? null,
    async list(accountId) {
      const found = await factors.listByAccount(accountId)
      return found
        .filter(({ kind }) => kind === passkeyKind)
        .map(readPasskey)
        .sort((one, other) => one.value.createdAt - other.value.createdAt || compare(one.factor.id, other.factor.id))
    },
    insert(id, accountId, value) {
      return factors.insert({ id, accountId, kind: passkeyKind, value: formatPasskey(value) })
    },
    async change(id, change) {
      for (let round = 0; round < rounds; round++) {
        const found = await get(id)
        if (!found) return null
        const { factor } = found
        const next = change(found.value, factor.accountId)
        if ('stop' in next) return next
        const value = formatPasskey(next)
        if (await factors.replace(id, factor.version, value)) {
          return { factor: { ...factor, version: factor.version + 1, value }, value: next }
        }
      }
      throw new StoreError('STORE_UNAVAILABLE', 'the passkey kept changing while it was read')
    },
    remove: (id) => factors.remove(id),
    removeUnlessLast: (id) => factors.removeUnlessLast(id),
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : 1
}
