import { AccessError } from '../errors.ts'

export interface ClientSlotsOptions {
  readonly total: number
  readonly perClient: number
}

/** How much is open, in all and for each client. */
export interface ClientSlots {
  readonly taken: number
  /**
   * Takes a place and gives what leaves it, which may be called twice.
   *
   * @param client who is counted; `null`: only in all.
   * @throws AccessError `SERVICE_UNAVAILABLE` when all slots are taken, `RATE_LIMITED` when the client's are.
   */
  take(client: string | null): () => void
}

export function createClientSlots({ total, perClient }: ClientSlotsOptions): ClientSlots {
  const clients = new Map<string, number>()
  let taken = 0
  const leave = (client: string | null): void => {
    taken--
    if (client === null) return
    const left = (clients.get(client) ?? 0) - 1
    if (left > 0) clients.set(client, left)
    else clients.delete(client)
  }
  return {
    get taken() {
      return taken
    },
    take(client) {
      const own = client === null ? 0 : (clients.get(client) ?? 0)
      if (own >= perClient) throw new AccessError('RATE_LIMITED', { message: 'Too many streams are open.' })
      if (taken >= total) throw new AccessError('SERVICE_UNAVAILABLE')
      taken++
      if (client !== null) clients.set(client, own + 1)
      let isLeft = false
      return () => {
        if (!isLeft) leave(client)
        isLeft = true
      }
    },
  }
}
