import { after } from '@latchkey/core/internal'
import type { SqlRow } from '../statements/sql-executor.ts'
import { cancelStatement } from './pools/cancel-statement.ts'
import type { NamedQuery, PgClient, PgPool } from './pools/postgres-pool.ts'
import type { PostgresDriver, PostgresQuery, PostgresWork } from './postgres-driver.ts'
import { isRefusal } from './postgres-error.ts'
import { nameStatement } from './statement-name.ts'
import type { StatementSignal } from './statement-signal.ts'

/**
 * The time in which a pool without its own limit opens a connection: a hanging attempt would keep its place for ever.
 */
const connectMs = 5000
/** The time in which connections may close in order. Connections of a server that hangs are cut then. */
const endMs = 1000

/** Drives a `Pool` of `pg`: the connection of a statement that is not answered is dropped and never used again. */
export function openPg(pool: PgPool): PostgresDriver {
  /** When each open connection last answered, on the monotonic clock. */
  const heardAt = new Map<PgClient, number>()
  let lastHeardAt = Number.NEGATIVE_INFINITY
  let suspectBefore = Number.NEGATIVE_INFINITY
  if (pool.options) pool.options.connectionTimeoutMillis ||= connectMs
  // A broken connection rejects the pending query and emits an `error`, which without a listener ends the process. The
  // pool listens to idle connections only.
  pool.on?.('error', () => {})

  function heard(client: PgClient): void {
    lastHeardAt = performance.now()
    heardAt.set(client, lastHeardAt)
  }

  function setUp(client: PgClient): void {
    client.on?.('error', () => {})
    client.on?.('end', () => heardAt.delete(client))
    heard(client)
  }

  /** Closes a connection without waiting for the other end. */
  function cut(client: PgClient): void {
    client.release(true)
    client.connection?.stream?.destroy()
  }

  async function checkOut(signal: StatementSignal): Promise<PgClient> {
    for (;;) {
      const client = await pool.connect()
      if (signal.aborted) client.release(false)
      signal.throwIfAborted()
      // What lay idle while another connection was silently lost is lost, too, or is opened again for nothing.
      const isSuspect = (heardAt.get(client) ?? suspectBefore) < suspectBefore
      if (!isSuspect) return client
      cut(client)
    }
  }

  async function use<T>(
    signal: StatementSignal,
    action: (client: PgClient) => Promise<T>,
    isSoundAfter: (error: unknown) => boolean = () => false,
  ): Promise<T> {
    const client = await checkOut(signal)
    const sentAt = performance.now()
    const abandon = () => {
      if (lastHeardAt < sentAt) suspectBefore = sentAt
      void cancelStatement(client)
        .catch(() => {})
        .finally(() => cut(client))
    }
    signal.addEventListener('abort', abandon)
    let isSound = true
    try {
      if (!heardAt.has(client)) setUp(client)
      const result = await action(client)
      if (!signal.aborted) heard(client)
      return result
    } catch (error) {
      isSound = isSoundAfter(error)
      throw error
    } finally {
      signal.removeEventListener('abort', abandon)
      if (!signal.aborted) client.release(!isSound)
    }
  }

  const send = (query: string | NamedQuery, values: readonly unknown[], signal: StatementSignal) =>
    use(signal, (client) => rowsOf(client, query, values), isRefusal)

  return {
    places: pool.options?.max ?? 10,
    prepared: (text, values, signal) => send({ name: nameStatement(text), text }, values, signal),
    query: send,
    script: (text, signal) => use(signal, async (client) => void (await client.query(text))),
    async transaction(work, limitMs, signal) {
      const end = await use(signal, (client) => runTransaction(client, { work, limitMs, signal }))
      return end()
    },
    async end() {
      const open = [...heardAt.keys()].map(whenEnded)
      const { promise: over, resolve } = Promise.withResolvers<void>()
      const patience = after(endMs, resolve)
      await Promise.race([Promise.all([pool.end(), ...open]), over]).finally(patience.stop)
      for (const client of heardAt.keys()) client.connection?.stream?.destroy()
    },
  }
}

/** The pool itself waits for no connection that lay idle. */
function whenEnded(client: PgClient): Promise<void> {
  return new Promise((resolve) => (client.on ? client.on('end', resolve) : resolve()))
}

function queryOf(client: PgClient): PostgresQuery {
  return (text, values) => rowsOf(client, text, values)
}

async function rowsOf(
  client: PgClient,
  query: string | NamedQuery,
  values: readonly unknown[],
): Promise<readonly SqlRow[]> {
  return (await client.query(query, [...values])).rows as SqlRow[]
}

interface Transaction<T> {
  readonly work: PostgresWork<T>
  readonly limitMs: number
  readonly signal: AbortSignal
}

/** Returns a function with the outcome, because the connection is still good after an error of the work. */
async function runTransaction<T>(client: PgClient, { work, limitMs, signal }: Transaction<T>): Promise<() => T> {
  await client.query('begin')
  await client.query(`set local statement_timeout = ${limitMs}`)
  try {
    const result = await work(queryOf(client))
    signal.throwIfAborted()
    await client.query('commit')
    return () => result
  } catch (error) {
    signal.throwIfAborted()
    await client.query('rollback')
    return () => {
      throw error
    }
  }
}
