import { after, checkOptionNames, every, type Timer } from '@latchkey/core/internal'
import { type Broadcast, createBroadcastReaders, isStoreError, StoreError } from '@latchkey/store'
import { withinDeadline } from '../within-deadline.ts'

interface Connection {
  readonly client: Awaited<ReturnType<Parameters<typeof createPostgresBroadcast>[0]['connect']>>
  readonly heartbeat: Timer
  /** Runs one statement after the other, as a client of `pg` requires. */
  readonly ask: (text: string, values?: unknown[]) => Promise<unknown>
}

/** How long a connection may take to be closed in order. */
const endMs = 1000

const channel = 'latchkey_broadcast'

const optionNames = { connect: true, unreadAtMost: true, deadlineMs: true, heartbeatMs: true } as const

/**
 * Creates a broadcast by `LISTEN` and `NOTIFY` of PostgreSQL, for all processes on one database. It connects on first
 * use, and again after a lost connection, which throws in all iterations, because they may have missed messages.
 *
 * @throws TypeError naming the option that is unknown or not valid.
 * @example
 * import { createPostgresBroadcast } from '@latchkey/sql'
 * import pg from 'pg'
 * const broadcast = createPostgresBroadcast({
 *   async connect() {
 *     const client = new pg.Client(process.env.DATABASE_URL)
 *     await client.connect()
 *     return client
 *   },
 * })
 */
export function createPostgresBroadcast(options: {
  /** Returns a connection that is not shared, so not one of a pool. Called again after each loss. */
  readonly connect: () => Promise<{
    query(text: string, values?: unknown[]): Promise<unknown>
    on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown
    on(event: 'error' | 'end', listener: () => void): unknown
    end(): Promise<void>
    /** The socket: a connection that is silently dead is cut, because it cannot be closed in order. */
    readonly connection?: { readonly stream?: { destroy(): unknown } }
  }>
  /**
   * How many unread messages are kept for each reader.
   * @default 100
   */
  readonly unreadAtMost?: number
  /**
   * The time limit of an answer of the database.
   * @default 3000
   */
  readonly deadlineMs?: number
  /**
   * The interval at which an idle connection is checked.
   * @default 5000
   */
  readonly heartbeatMs?: number
}): Broadcast {
  checkOptionNames('createPostgresBroadcast', options, optionNames)
  const { connect, unreadAtMost = 100, deadlineMs = 3_000, heartbeatMs = 5_000 } = options
  if (typeof connect !== 'function') throw new TypeError('"connect" must be a function that gives a client of pg')
  for (const [name, value] of Object.entries({ unreadAtMost, deadlineMs, heartbeatMs })) {
    if (!Number.isInteger(value) || value < 1) throw new TypeError(`"${name}" must be a whole number from 1`)
  }
  const readers = createBroadcastReaders({ unreadAtMost })
  let connecting: Promise<Connection> | null = null
  let isClosed = false

  const drop = (connection: Promise<Connection>, cause: unknown): void => {
    if (connecting !== connection) return
    connecting = null
    void connection.then(end, () => undefined)
    readers.fail(new StoreError('STORE_UNAVAILABLE', 'the connection that listens was lost', { cause }))
  }
  const open = (): Promise<Connection> => {
    if (isClosed) return Promise.reject(new StoreError('STORE_UNAVAILABLE', 'the broadcast is closed'))
    if (connecting) return connecting
    const lost = (cause?: unknown): void => drop(opening, cause)
    const opening: Promise<Connection> = withinDeadline(deadlineMs, async (signal) => {
      const client = await connect()
      const giveUp = (): void => void endClient(client)
      signal.addEventListener('abort', giveUp)
      client.on('error', lost)
      client.on('end', lost)
      client.on('notification', ({ payload }) => payload !== undefined && deliver(payload))
      try {
        signal.throwIfAborted()
        await client.query(`listen ${channel}`)
        signal.throwIfAborted()
      } catch (cause) {
        giveUp()
        throw cause
      }
      const ask = inTurn(client, deadlineMs)
      return { client, ask, heartbeat: every(heartbeatMs, () => void ask('select 1').catch(lost)) }
    })
    connecting = opening
    opening.catch(lost)
    return opening
  }
  /** Every user of the database may notify this channel with any payload. */
  const deliver = (payload: string): void => {
    const at = payload.indexOf(' ')
    if (at >= 0) readers.tell(payload.slice(0, at), payload.slice(at + 1))
  }
  /** Reports every failure of the driver as an outage, with the original in `cause`. */
  const reach = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (cause) {
      if (isStoreError(cause)) throw cause
      throw new StoreError('STORE_UNAVAILABLE', 'the database could not be reached', { cause })
    }
  }

  return {
    async publish(topic, message) {
      readers.check(message)
      await reach(async () => {
        const opening = open()
        const { ask } = await opening
        await ask('select pg_notify($1, $2)', [channel, `${nameOf(topic)} ${message}`]).catch((cause) => {
          drop(opening, cause)
          throw cause
        })
      })
    },
    async listen(topic) {
      const opening = open()
      await reach(() => opening)
      if (connecting !== opening) throw new StoreError('STORE_UNAVAILABLE', 'the connection that listens was lost')
      return readers.add(nameOf(topic))
    },
    async close() {
      isClosed = true
      const closing = connecting
      connecting = null
      readers.close()
      const ending = closing?.then(end, () => undefined)
      await withinDeadline(deadlineMs, async () => ending).catch(() => undefined)
    },
  }
}

/** Encodes a topic in characters that every database can hold, without spaces and without collisions. */
function nameOf(topic: string): string {
  return topic.replace(/[^\w:-]/g, (unit) => `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function inTurn(
  client: Awaited<ReturnType<Parameters<typeof createPostgresBroadcast>[0]['connect']>>,
  deadlineMs: number,
): Connection['ask'] {
  let last: Promise<unknown> = Promise.resolve()
  return (text, values) => {
    const turn = last.then(() => client.query(text, values))
    last = turn.catch(() => undefined)
    return withinDeadline(deadlineMs, () => turn)
  }
}

async function end({ client, heartbeat }: Connection): Promise<void> {
  heartbeat.stop()
  await endClient(client)
}

async function endClient(
  client: Awaited<ReturnType<Parameters<typeof createPostgresBroadcast>[0]['connect']>>,
): Promise<void> {
  const patience = after(endMs, () => client.connection?.stream?.destroy())
  await client.end().catch(() => undefined)
  patience.stop()
}
