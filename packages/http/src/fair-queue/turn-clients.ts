import { createTurnClient, type TurnClient, type TurnClientParts, windowMs } from './turn-client.ts'

/** The separately counted clients. */
export interface TurnClients {
  /** Returns the client of an address key. */
  find(key: string, at: number): TurnClient
  /** Remembers that a client is there that others make room for; `null`: one that is not told apart. */
  note(client: TurnClient | null, at: number): void
  /**
   * Returns the time until which a client counts as not alone: two seconds after the last request of another separately
   * counted client.
   */
  sharedUntil(client: TurnClient): number
}

export interface TurnClientsOptions extends TurnClientParts {
  readonly most: number
}

/** For so long a client counts as there. */
const presentMs = 2_000
/** How many of the oldest clients are looked at to find room for a new one. */
const looksAtMost = 16

export function createTurnClients({ most, ...parts }: TurnClientsOptions): TurnClients {
  const clients = new Map<string, TurnClient>()
  const others = createTurnClient(null, parts)
  // The last client, and when any other one was there last.
  let last: TurnClient | null = null
  let lastAt = Number.NEGATIVE_INFINITY
  let otherAt = Number.NEGATIVE_INFINITY
  const add = (key: string, at: number): TurnClient => {
    if (clients.size >= most && !makeRoom(clients, at)) return others
    const client = createTurnClient(key, parts)
    clients.set(key, client)
    return client
  }
  return {
    find(key, at) {
      const client = clients.get(key) ?? add(key, at)
      client.seenAt = at
      return client
    },
    note(client, at) {
      if (client !== last) otherAt = lastAt
      last = client
      lastAt = at
    },
    sharedUntil: (client) => (client === last ? otherAt : lastAt) + presentMs,
  }
}

/** Removes idle clients among the oldest. Returns whether there is room for another client. */
function makeRoom(clients: Map<string, TurnClient>, at: number): boolean {
  let isRoom = false
  let looks = looksAtMost
  for (const [key, client] of clients) {
    if (looks-- === 0) break
    clients.delete(key)
    if (client.waiting.length === 0 && at - client.seenAt > windowMs) isRoom = true
    else clients.set(key, client)
  }
  return isRoom
}
