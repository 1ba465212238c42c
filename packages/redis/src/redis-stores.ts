import { checkOptionNames } from '@latchkey/core/internal'
import type { CounterStore, RecordStore } from '@latchkey/store'
import { checkRedis } from './redis-check.ts'
import { openRedisPort, type RedisClient } from './redis-client.ts'
import { createRedisCounterStore } from './redis-counter-store.ts'
import { createRedisRecordStore } from './redis-record-store.ts'
import { createScriptRunner } from './script-runner.ts'

/** The stores on Redis. Pass the whole object to a factory, or spread it into its options: each takes what it needs. */
export interface RedisStores {
  readonly records: RecordStore
  readonly counters: CounterStore
  /** Resolves when Redis takes changes and is configured as these stores need it: a readiness probe, which writes. */
  check(): Promise<void>
  /** All later calls throw. The client stays open. */
  close(): Promise<void>
}

const optionNames = {
  client: true,
  now: true,
  deadlineMs: true,
  silenceMs: true,
  prefix: true,
  waitReplicas: true,
} as const

/**
 * Creates expiring records and counters on Redis 7 or Valkey, for any number of processes. The first use sends the
 * first command. Every change is one script on one key with exactly one winner, and has no effect if it runs after its
 * caller has timed out. The stores throw `StoreError` `STORE_UNAVAILABLE` if Redis fails or does not answer before the
 * deadline; it is then unknown whether a change was made. Data that must outlive a flush (accounts, keys, epochs)
 * belongs in a database.
 *
 * @throws TypeError if an option is unknown or not valid.
 * @example
 * import { createRedisStores } from '@latchkey/redis'
 * import { Redis } from 'ioredis'
 * const client = new Redis('redis://127.0.0.1:6379')
 * const { records, counters } = createRedisStores({ client, waitReplicas: 0 })
 * await counters.hit('sign-in:203.0.113.7', 60_000) // { count: 1, resetAt: a minute from now }
 */
export function createRedisStores(options: {
  /** A client of ioredis or of node-redis, of one server or of a cluster. */
  readonly client: RedisClient
  /**
   * The clock by which records and windows expire, in epoch milliseconds: for tests.
   * @default the clock of the Redis server
   */
  readonly now?: () => number
  /**
   * The time limit of an operation, in milliseconds.
   * @default 250
   */
  readonly deadlineMs?: number
  /**
   * The time in which a connection may leave every command unanswered before it is dropped, in milliseconds, so that
   * the client opens a new connection: a vanished firewall or machine does not close it. Also the time in which its
   * server may load data or lack replicas; a connection to a replica is dropped at once. On a cluster set
   * `socketTimeout` of the client.
   * @default 1000
   */
  readonly silenceMs?: number
  /**
   * The prefix of every key in Redis.
   * @default 'latchkey:'
   */
  readonly prefix?: string
  /**
   * The number of replicas that must have a change before it is acknowledged. 0: no replica is ever promoted. If
   * omitted, a promotion may lose the last changes, and the consistency of the records is `eventual`: sufficient for
   * sessions, refused by refresh tokens and one-time credentials. Not possible on a cluster, except 0.
   */
  readonly waitReplicas?: number
}): RedisStores {
  checkOptionNames('createRedisStores', options, optionNames)
  const { client, now = null, deadlineMs = 250, silenceMs = 1000, prefix = 'latchkey:', waitReplicas = null } = options
  for (const [name, value] of Object.entries({ deadlineMs, silenceMs })) {
    if (!(value > 0 && Number.isFinite(value))) throw new TypeError(`"${name}" must be a positive number`)
  }
  const port = openRedisPort(client)
  checkReplicas(waitReplicas, client, port.isCluster)
  const runner = createScriptRunner({ port, deadlineMs, silenceMs, waitReplicas: waitReplicas ?? 0 })
  const consistency = waitReplicas === null ? 'eventual' : 'strong'
  return {
    records: createRedisRecordStore({ runner, now, prefix, consistency }),
    counters: createRedisCounterStore({ runner, now, prefix, consistency }),
    check: () => checkRedis(runner, prefix, waitReplicas),
    close: async () => runner.close(),
  }
}

function checkReplicas(waitReplicas: number | null, client: RedisClient, isCluster: boolean): void {
  if (waitReplicas === null || waitReplicas === 0) return
  if (!Number.isSafeInteger(waitReplicas) || waitReplicas < 0) {
    throw new TypeError('"waitReplicas" must be an integer of at least 0')
  }
  if (isCluster) throw new TypeError('"waitReplicas" must be left out on a cluster: WAIT has no key that names a node')
  if (typeof client.wait !== 'function') throw new TypeError('"client" must have wait() for "waitReplicas"')
}
