import { randomToken } from '@latchkey/bytes'
import {
  defineStoredShape,
  type GrantStore,
  isStoredCount,
  isStoredText,
  type StoredGrant,
  StoreError,
  storedList,
  storedVersion,
} from '@latchkey/store'

/** What an account has allowed a client, and remembers. */
export interface Grant {
  /** Its public name: families and codes carry it, and end with it. */
  readonly id: string
  readonly accountId: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Epoch milliseconds, as `changedAt`. */
  readonly givenAt: number
  readonly changedAt: number
}

/** Consents: one for each account and client. */
export interface Grants {
  get(id: string): Promise<Grant | null>
  find(accountId: string, clientId: string): Promise<Grant | null>
  list(accountId: string): Promise<readonly Grant[]>
  /** Adds scopes to what an account has allowed a client, and returns all of it. */
  allow(accountId: string, clientId: string, scopes: readonly string[]): Promise<Grant>
  /** Ends a consent of the account; `true` for exactly one caller. What was given by it ends with it. */
  revoke(accountId: string, id: string): Promise<boolean>
}

interface GrantValue {
  readonly scopes: readonly string[]
  readonly givenAt: number
  readonly changedAt: number
}

const shape = defineStoredShape<GrantValue>({
  name: 'grant',
  members: { scopes: storedList(isStoredText), givenAt: isStoredCount, changedAt: isStoredCount },
})

const retries = 5

/** Creates consents over their store. */
export function createGrants(store: GrantStore, now: () => number): Grants {
  /** Returns `null` when another caller changed the consent between the read and the write. */
  async function allowOnce(accountId: string, clientId: string, scopes: readonly string[]): Promise<Grant | null> {
    const stored = await store.getByClient(accountId, clientId)
    if (!stored) {
      const added = { id: `gr_${randomToken(16)}`, accountId, clientId }
      const value = { scopes, givenAt: now(), changedAt: now() }
      return (await store.insert({ ...added, value: format(value) })) ? toGrant(added, value) : null
    }
    const value = shape.parse(stored.value)
    const further = scopes.filter((scope) => !value.scopes.includes(scope))
    // Written only when it adds something, so that many answers at once do not stand in each other's way.
    if (further.length === 0) return toGrant(stored, value)
    const next = { ...value, scopes: [...value.scopes, ...further], changedAt: now() }
    return (await store.replace(stored.id, stored.version, format(next))) ? toGrant(stored, next) : null
  }

  return {
    get: async (id) => readGrant(await store.get(id)),
    find: async (accountId, clientId) => readGrant(await store.getByClient(accountId, clientId)),
    list: async (accountId) => (await store.listByAccount(accountId)).flatMap((stored) => readGrant(stored) ?? []),
    async allow(accountId, clientId, scopes) {
      for (let made = 0; made <= retries; made++) {
        const grant = await allowOnce(accountId, clientId, scopes)
        if (grant) return grant
      }
      throw new StoreError('STORE_UNAVAILABLE', 'the consent kept changing while it was read')
    },
    async revoke(accountId, id) {
      const stored = await store.get(id)
      return stored?.accountId === accountId && (await store.remove(id))
    },
  }
}

function format(value: GrantValue): string {
  return shape.format(value, storedVersion)
}

function readGrant(stored: StoredGrant | null): Grant | null {
  return stored && toGrant(stored, shape.parse(stored.value))
}

function toGrant(
  { id, accountId, clientId }: Omit<StoredGrant, 'version' | 'value'>,
  { scopes, givenAt, changedAt }: GrantValue,
): Grant {
  return { id, accountId, clientId, scopes, givenAt, changedAt }
}
