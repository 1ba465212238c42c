import { randomToken } from '@latchkey/bytes'
import type { HttpRequest } from '@latchkey/http'
import { type DocumentStore, StoreError } from '@latchkey/store'
import {
  type CollectionItem,
  createCollection,
  defineStoredShape,
  documentId,
  isStoredCount,
  isStoredText,
  storedList,
} from '@latchkey/store/internal'

/** What an account allows a client. */
export interface Grant {
  /**
   * Random, and new after each revocation: families and codes are of the grant with this id, so a later grant for the same
   * client does not revive them.
   */
  readonly id: string
  readonly accountId: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** Epoch milliseconds, as `changedAt`. */
  readonly givenAt: number
  readonly changedAt: number
}

/** Grants: at most one for each account and client. */
export interface Grants {
  find(accountId: string, clientId: string): Promise<Grant | null>
  list(accountId: string): Promise<readonly Grant[]>
  /** Adds scopes to what the account allows the client, and returns the grant. */
  allow(allowed: Pick<Grant, 'accountId' | 'clientId' | 'scopes'>, request: HttpRequest): Promise<Grant>
  /** Revokes a grant of the account and returns it to exactly one caller. All that was issued by it ends. */
  revoke(accountId: string, id: string, request?: HttpRequest): Promise<Grant | null>
}

interface GrantValue {
  readonly grantId: string
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly givenAt: number
  readonly changedAt: number
}

type GrantItem = CollectionItem<GrantValue>

const shape = defineStoredShape<GrantValue>({
  name: 'grant',
  members: {
    grantId: isStoredText,
    clientId: isStoredText,
    scopes: storedList(isStoredText),
    givenAt: isStoredCount,
    changedAt: isStoredCount,
  },
})

const attempts = 6

interface GrantChange extends Pick<Grant, 'accountId' | 'clientId'> {
  readonly type: 'grant.given' | 'grant.revoked'
  readonly grantId: string
}

export interface GrantsOptions {
  readonly documents: DocumentStore
  /** Calls `make` around other work. */
  readonly aroundChange: (change: GrantChange, make: () => Promise<boolean>, request?: HttpRequest) => Promise<unknown>
  readonly now: () => number
  readonly storedVersion: () => number
}

export function createGrants({ documents, aroundChange, now, storedVersion }: GrantsOptions): Grants {
  const grants = createCollection({ documents, name: 'oauth-grant', shape, storedVersion })

  async function change(
    type: GrantChange['type'],
    { accountId, clientId, id: grantId }: Grant,
    store: () => Promise<boolean>,
    request?: HttpRequest,
  ): Promise<boolean> {
    let isStored = false
    const make = async () => {
      isStored = await store()
      return isStored
    }
    await aroundChange({ type, accountId, clientId, grantId }, make, request)
    return isStored
  }

  /** Returns `null` if another caller was faster. */
  async function allowOnce(
    { accountId, clientId, scopes }: Pick<Grant, 'accountId' | 'clientId' | 'scopes'>,
    request: HttpRequest,
  ): Promise<Grant | null> {
    const id = documentId(accountId, clientId)
    const current = await grants.get(id)
    const further = scopes.filter((scope) => !current?.value.scopes.includes(scope))
    // Written only when it adds something, so that many answers at once do not stand in each other's way.
    if (current && further.length === 0) return toGrant(accountId, current.value)
    const at = now()
    const value = current
      ? { ...current.value, scopes: [...current.value.scopes, ...further], changedAt: at }
      : { grantId: `gr_${randomToken(16)}`, clientId, scopes, givenAt: at, changedAt: at }
    const store = () => (current ? grants.replace(current, value) : grants.insert(id, accountId, value))
    const grant = toGrant(accountId, value)
    return (await change('grant.given', grant, async () => (await store()) !== null, request)) ? grant : null
  }

  return {
    async find(accountId, clientId) {
      const found = await grants.get(documentId(accountId, clientId))
      return found && toGrant(accountId, found.value)
    },
    list: async (accountId) => (await grants.listByOwner(accountId)).map(({ value }) => toGrant(accountId, value)),
    async allow(allowed, request) {
      for (let made = 0; made < attempts; made++) {
        const grant = await allowOnce(allowed, request)
        if (grant) return grant
      }
      throw overtaken()
    },
    async revoke(accountId, id, request) {
      const listed: readonly GrantItem[] = await grants.listByOwner(accountId)
      let current = listed.find(({ value }) => value.grantId === id) ?? null
      for (let made = 0; made < attempts; made++) {
        // A later grant for the same client stays.
        if (current?.value.grantId !== id) return null
        const { value, ...read }: GrantItem = current
        const grant = toGrant(accountId, value)
        if (await change('grant.revoked', grant, () => grants.removeVersion(read), request)) return grant
        current = await grants.get(read.id)
      }
      throw overtaken()
    },
  }
}

function toGrant(accountId: string, { grantId: id, clientId, scopes, givenAt, changedAt }: GrantValue): Grant {
  return { id, accountId, clientId, scopes, givenAt, changedAt }
}

function overtaken(): StoreError {
  return new StoreError('STORE_UNAVAILABLE', 'other callers keep changing this grant: nothing was stored, try again')
}
