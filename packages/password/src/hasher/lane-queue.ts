/** Work that waits for its turn. */
export interface Waiting {
  /** The client of the job; `null` if it is unknown. */
  readonly client: string | null
  start(): void
  /** It has lost its place to the work of another client. */
  drop(): void
}

/** The waiting jobs of one lane: clients take turns, and the jobs of each client are first come, first served. */
export interface LaneQueue {
  readonly size: number
  add(waiting: Waiting): void
  remove(waiting: Waiting): void
  /** Removes the next job and returns it; `undefined` if no job waits. */
  next(): Waiting | undefined
  /** Takes the latest work of the client that has most out, and returns it. `undefined`: none has more than this one would have. */
  makeRoom(client: string | null): Waiting | undefined
}

export function createLaneQueue(): LaneQueue {
  // In the order of their turns; a client without anything that waits is not there.
  const clients = new Map<string | null, Set<Waiting>>()
  let size = 0
  const remove = (waiting: Waiting): void => {
    const own = clients.get(waiting.client)
    if (!own?.delete(waiting)) return
    size--
    if (own.size === 0) clients.delete(waiting.client)
  }
  return {
    get size() {
      return size
    },
    add(waiting) {
      const own = clients.get(waiting.client) ?? new Set()
      clients.set(waiting.client, own.add(waiting))
      size++
    },
    remove,
    next() {
      const [turn] = clients
      if (!turn) return undefined
      const [client, own] = turn
      const [waiting] = own
      if (!waiting) return undefined
      remove(waiting)
      // Its next turn is after those of all others.
      if (clients.delete(client)) clients.set(client, own)
      return waiting
    },
    makeRoom(client) {
      let most = new Set<Waiting>()
      for (const own of clients.values()) if (own.size > most.size) most = own
      if (most.size <= (clients.get(client)?.size ?? 0) + 1) return undefined
      const latest = [...most].at(-1)
      if (latest) remove(latest)
      return latest
    },
  }
}
