import { AccessError } from '../errors.ts'

export interface ClientSlotsOptions {
  /** The most slots in total. */
  readonly total: number
  /** The most slots of one client. */
  readonly perClient: number
}

/** Counts taken slots, in total and for each client. */
export interface ClientSlots {
  readonly taken: number
  /**
   * Takes a slot and returns the function that releases it. Further calls of that function have no effect.
   *
   * @param client the key by which the client is counted; `null`: only the total counts.
   * @throws AccessError `RATE_LIMITED` if the client has no slot left, `SERVICE_UNAVAILABLE` if the total is used up.
   */
  take(client: string | null): () => void
}

interface SlotsState {
  readonly clients: Map<string, number>
  taken: number
}

export function createClientSlots({ total, perClient }: ClientSlotsOptions): ClientSlots {
  const state: SlotsState = { clients: new Map(), taken: 0 }
  return {
    get taken() {
      return state.taken
    },
    take(client) {
      if (countOf(state, client) >= perClient) {
        throw new AccessError('RATE_LIMITED', { message: 'Too many streams are open. Close a stream and try again.' })
      }
      if (state.taken >= total) throw new AccessError('SERVICE_UNAVAILABLE')
      return take(state, client)
    },
  }
}

function take(state: SlotsState, client: string | null): () => void {
  add(state, client, 1)
  let isReleased = false
  return () => {
    if (!isReleased) add(state, client, -1)
    isReleased = true
  }
}

function countOf({ clients }: SlotsState, client: string | null): number {
  return client === null ? 0 : (clients.get(client) ?? 0)
}

function add(state: SlotsState, client: string | null, change: 1 | -1): void {
  state.taken += change
  if (client === null) return
  const count = countOf(state, client) + change
  if (count > 0) state.clients.set(client, count)
  else state.clients.delete(client)
}
