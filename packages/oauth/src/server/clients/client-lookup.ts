import type { RegisteredClient } from './registered-client.ts'
import { type StoredClients, toRegisteredClient } from './stored-client.ts'

/** Clients by id. */
export interface ClientLookup {
  /** Returns the client if it is not disabled, else `null`. A lookup of any text creates no record. */
  find(id: string | null): Promise<RegisteredClient | null>
  /**
   * Returns the display name of a client, also if it is disabled; its id if it is no longer registered, or its host.
   */
  nameOf(id: string): Promise<string>
}

/** 1 to 64 characters without a meaning in URLs, JSON and HTTP Basic. */
const idFormat = /^[\w.~-]{1,64}$/

/** Whether a text can be the id of a client. Ids of accounts start with `acc_`, and `first-party` is the service. */
export function isClientId(text: unknown): text is string {
  return typeof text === 'string' && idFormat.test(text) && text !== 'first-party' && !text.startsWith('acc_')
}

/** @param fixed clients that are written in code: they take precedence over the store. */
export function createClientLookup(
  clients: Pick<StoredClients, 'get'>,
  fixed: readonly RegisteredClient[],
): ClientLookup {
  const byId = new Map(fixed.map((client) => [client.id, client]))
  async function findAny(id: string): Promise<RegisteredClient | null> {
    const known = byId.get(id)
    const stored = known ? null : await clients.get(id)
    return known ?? (stored && toRegisteredClient(stored))
  }
  return {
    async find(id) {
      const client = isClientId(id) ? await findAny(id) : null
      return client && !client.isDisabled ? client : null
    },
    nameOf: async (id) => (await findAny(id))?.name ?? id,
  }
}
