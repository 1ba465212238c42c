import type { RegisteredClient } from './registered-client.ts'
import { type StoredClients, toRegisteredClient } from './stored-client.ts'

/** Clients by id. */
export interface ClientLookup {
  /** Returns a client that is not disabled, or `null`. Whatever text is given as an id, nothing is created by it. */
  find(id: string | null): Promise<RegisteredClient | null>
  /** Returns what people know a client by, also one that is disabled. Its id, where it is not registered any more, or its host. */
  nameOf(id: string): Promise<string>
}

/** 1 to 64 characters that mean nothing in a URL, in JSON or in HTTP Basic. */
const idFormat = /^[\w.~-]{1,64}$/

/** Whether a text can be the id of a client. Those of accounts begin with `acc_`, and `first-party` is the service. */
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
