import { encodeBase64url, sha256 } from '@latchkey/bytes'
import { type RecordStore, StoreError } from '@latchkey/store'
import { defineStoredShape, isStoredText } from '@latchkey/store/internal'

/** A client with an id token of a session. */
export interface SessionClient {
  /** The `sid` of its id tokens. */
  readonly sessionKey: string
  readonly clientId: string
}

/** The clients to notify of the end of a session. */
export interface SessionClients {
  /** Stores a client for the longest lifetime of a session from now on. */
  add(accountId: string, client: SessionClient): Promise<void>
  /** Keeps the clients of a session for the longest lifetime of a session from now on. */
  renew(accountId: string, sessionKey: string): Promise<void>
  /** Returns the clients of all sessions of an account. */
  list(accountId: string): Promise<readonly SessionClient[]>
  /** Removes a client: `true` for exactly one caller, which notifies it. */
  take(accountId: string, client: SessionClient): Promise<boolean>
}

export interface SessionClientsOptions {
  readonly records: RecordStore
  readonly now: () => number
  readonly keptMs: number
  readonly storedVersion: () => number
}

const shape = defineStoredShape<SessionClient>({
  name: 'client of a session',
  members: { sessionKey: isStoredText, clientId: isStoredText },
})

const retries = 5

/** A session is renewed later than its clients. */
const marginMs = 60_000

/**
 * Creates the list over a record store. Its records have another owner than the account: otherwise a sign-out of all other
 * sessions, which removes the records of the account, would also remove the clients of the remaining session.
 */
export function createSessionClients({ records, now, keptMs, storedVersion }: SessionClientsOptions): SessionClients {
  const ownerOf = (accountId: string): string => `sc_${digestOf([accountId])}`
  const keyOf = (accountId: string, { sessionKey, clientId }: SessionClient): string =>
    `sc_${digestOf([accountId, sessionKey, clientId])}`

  async function list(accountId: string): Promise<readonly SessionClient[]> {
    const all: SessionClient[] = []
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await records.listByOwner(ownerOf(accountId), cursor === undefined ? {} : { cursor })
      all.push(...page.items.map(({ value }) => shape.parse(value)))
      cursor = page.cursor
    }
    return all
  }

  return {
    async add(accountId, client) {
      const key = keyOf(accountId, client)
      const owner = ownerOf(accountId)
      for (let made = 0; made <= retries; made++) {
        const expiresAt = now() + keptMs
        const value = shape.format(client, storedVersion())
        if (await records.insert({ key, owner, expiresAt, value })) return
        if (await records.touch({ key, owner }, expiresAt)) return
      }
      throw new StoreError('STORE_UNAVAILABLE', 'the record kept changing while it was written')
    },
    async renew(accountId, sessionKey) {
      const owner = ownerOf(accountId)
      const clients = (await list(accountId)).filter((client) => client.sessionKey === sessionKey)
      const expiresAt = now() + keptMs + marginMs
      await Promise.all(clients.map((client) => records.touch({ key: keyOf(accountId, client), owner }, expiresAt)))
    },
    list,
    take: (accountId, client) => records.remove(keyOf(accountId, client)),
  }
}

function digestOf(names: readonly string[]): string {
  return encodeBase64url(sha256(JSON.stringify(names)))
}
