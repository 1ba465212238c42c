import { encodeBase64url, sha256 } from '@latchkey/bytes'
import { type RecordStore, StoreError } from '@latchkey/store'
import { defineStoredShape, isStoredText } from '@latchkey/store/internal'

/** A client that was given an id token out of a session. */
export interface SessionClient {
  /** The `sid` of its id tokens. */
  readonly sessionKey: string
  readonly clientId: string
}

/** The clients to notify of the end of a session. */
export interface SessionClients {
  /** Remembers a client from now on for as long as a session lives. */
  add(accountId: string, client: SessionClient): Promise<void>
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

/**
 * Creates the memory over a record store. Its records have an owner of their own beside the account: what removes all that
 * an account owns, and leaves one session, would forget the clients of that one.
 */
export function createSessionClients({ records, now, keptMs, storedVersion }: SessionClientsOptions): SessionClients {
  const ownerOf = (accountId: string): string => `sc_${digestOf([accountId])}`
  const keyOf = (accountId: string, { sessionKey, clientId }: SessionClient): string =>
    `sc_${digestOf([accountId, sessionKey, clientId])}`

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
    async list(accountId) {
      const all: SessionClient[] = []
      for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
        const page = await records.listByOwner(ownerOf(accountId), cursor === undefined ? {} : { cursor })
        all.push(...page.items.map(({ value }) => shape.parse(value)))
        cursor = page.cursor
      }
      return all
    },
    take: (accountId, client) => records.remove(keyOf(accountId, client)),
  }
}

function digestOf(names: readonly string[]): string {
  return encodeBase64url(sha256(JSON.stringify(names)))
}
