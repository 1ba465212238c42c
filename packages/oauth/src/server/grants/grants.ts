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
  storedObject,
  storedOrNull,
  storedOrOmitted,
} from '@latchkey/store/internal'
import { hostOfClientId } from '../clients/client-host.ts'

/** The consent of an account to a client. */
export interface Grant {
  /**
   * Random, and new after each revocation. Families and codes belong to the grant with this id, so a later grant for the same
   * client does not revive them.
   */
  readonly id: string
  readonly accountId: string
  readonly clientId: string
  readonly scopes: readonly string[]
  /** The time of the first consent, in epoch milliseconds. */
  readonly givenAt: number
  /** The time of the latest change, in epoch milliseconds. */
  readonly changedAt: number
  /** `null`: the client is registered. */
  readonly shown: RememberedClient | null
}

/** The data of an unregistered client that the account was shown with its consent. */
export interface ShownClient {
  readonly clientName: string
  /** The host of the redirect, or its scheme. */
  readonly redirectTarget: string
}

/** The consent of an account under the name and the redirect that the account has seen last. */
interface RememberedClient extends ShownClient {
  /** The scopes under this name and redirect. The grant can have more, from other names and redirects. */
  readonly scopes: readonly string[]
}

/** Whether a client has the same name and redirect as at the latest consent. */
export function isShownAs({ shown }: Pick<Grant, 'shown'>, now: ShownClient | null): boolean {
  return shown?.clientName === now?.clientName && shown?.redirectTarget === now?.redirectTarget
}

/** Grants: at most one for each account and client. */
export interface Grants {
  find(accountId: string, clientId: string): Promise<Grant | null>
  list(accountId: string): Promise<readonly Grant[]>
  /** Adds scopes to the consent of the account to the client, and returns the grant. */
  allow(allowed: AllowedClient, request: HttpRequest): Promise<Grant>
  /** Revokes a grant of the account and all its tokens. Returns the grant to exactly one caller. */
  revoke(accountId: string, id: string, request?: HttpRequest): Promise<Grant | null>
}

interface AllowedClient extends Pick<Grant, 'accountId' | 'clientId' | 'scopes'> {
  readonly shown: ShownClient | null
}

interface GrantValue {
  readonly grantId: string
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly givenAt: number
  readonly changedAt: number
  readonly shown?: RememberedClient | null
}

type GrantItem = CollectionItem<GrantValue>

const isShown = storedOrNull(
  storedObject({ clientName: isStoredText, redirectTarget: isStoredText, scopes: storedList(isStoredText) }),
)

const shape = defineStoredShape<GrantValue>({
  name: 'grant',
  members: {
    grantId: isStoredText,
    clientId: isStoredText,
    scopes: storedList(isStoredText),
    givenAt: isStoredCount,
    changedAt: isStoredCount,
    shown: storedOrOmitted(isShown),
  },
})

const attempts = 6

interface GrantChange extends Pick<Grant, 'accountId' | 'clientId'> {
  readonly type: 'grant.given' | 'grant.revoked'
  readonly clientHost?: string
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
    const clientHost = hostOfClientId(clientId)
    await aroundChange(
      { type, accountId, clientId, ...(clientHost !== null && { clientHost }), grantId },
      make,
      request,
    )
    return isStored
  }

  /** Returns `null` if another caller was faster. */
  async function allowOnce(
    { accountId, clientId, scopes, shown }: AllowedClient,
    request: HttpRequest,
  ): Promise<Grant | null> {
    const id = documentId(accountId, clientId)
    const current = await grants.get(id)
    const further = scopes.filter((scope) => !current?.value.scopes.includes(scope))
    const known = current && toGrant(accountId, current.value)
    // Written only if it adds a scope, so that many concurrent answers do not wait for one another.
    const remembered = shown && remember(known, shown, scopes)
    const isRemembered = known?.shown?.scopes.length === remembered?.scopes.length
    if (known && further.length === 0 && isShownAs(known, shown) && isRemembered) return known
    const at = now()
    const changed = { changedAt: at, ...(remembered && { shown: remembered }) }
    const value = current
      ? { ...current.value, scopes: [...current.value.scopes, ...further], ...changed }
      : { grantId: `gr_${randomToken(16)}`, clientId, scopes, givenAt: at, ...changed }
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

/** Adds scopes to a consent under the same name and with the same redirect. */
function remember(known: Grant | null, shown: ShownClient, scopes: readonly string[]): RememberedClient {
  const earlier = known?.shown && isShownAs(known, shown) ? known.shown.scopes : []
  return { ...shown, scopes: [...new Set([...earlier, ...scopes])] }
}

function toGrant(accountId: string, { grantId: id, clientId, scopes, ...value }: GrantValue): Grant {
  const { givenAt, changedAt, shown = null } = value
  return { id, accountId, clientId, scopes, givenAt, changedAt, shown }
}

function overtaken(): StoreError {
  return new StoreError('STORE_UNAVAILABLE', 'other callers keep changing this grant: nothing was stored, try again')
}
