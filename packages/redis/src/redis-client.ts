/**
 * The used part of a `Redis` or `Cluster` of ioredis, or of a client or cluster of node-redis, the package `redis`. The
 * application connects, configures and closes it.
 */
export type RedisClient =
  | {
      on?(event: string, listener: () => void): unknown
      off?(event: string, listener: () => void): unknown
      /** The socket of a `Redis`, which reconnects when it is destroyed. */
      readonly stream?: { destroy(): unknown }
      eval(script: string, keyCount: number, ...keyAndArguments: string[]): Promise<unknown>
      evalsha(sha1: string, keyCount: number, ...keyAndArguments: string[]): Promise<unknown>
      wait?(replicas: number, timeoutMs: number): Promise<unknown>
    }
  | {
      on?(event: string, listener: () => void): unknown
      off?(event: string, listener: () => void): unknown
      readonly isReady?: boolean
      destroy?(): unknown
      connect?(): Promise<unknown>
      eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
      evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
      wait?(replicas: number, timeoutMs: number): Promise<unknown>
    }

/** One interface for both libraries. Each script has exactly one key, which also selects the node of a cluster. */
export interface RedisPort {
  readonly isCluster: boolean
  evalText(text: string, key: string, args: readonly string[]): Promise<unknown>
  evalSha(sha1: string, key: string, args: readonly string[]): Promise<unknown>
  /** Returns how many replicas have all writes of this connection. */
  wait(replicas: number, timeoutMs: number): Promise<number>
  /** Drops a connection that is silently dead, so that the client opens a new connection. Not possible on a cluster. */
  drop(): void
  /** Calls the listener whenever a connection was lost, until the returned function is called. */
  onLost(listener: () => void): () => void
}

/** ioredis emits `close`, node-redis `reconnecting`, both `end` when they stop reconnecting. */
const lossEvents = ['close', 'reconnecting', 'end']

/**
 * Reads are scripts too: both libraries send a script to the primary, whereas a plain read may be configured to go to a
 * replica, which may not have a revocation yet.
 */
export function openRedisPort(client: RedisClient): RedisPort {
  if (typeof client !== 'object' || client === null) throw notAClient()
  const port = {
    isCluster: isCluster(client),
    wait: async (replicas: number, timeoutMs: number) => Number(await client.wait?.(replicas, timeoutMs)),
    onLost(listener: () => void) {
      for (const event of lossEvents) client.on?.(event, listener)
      return () => {
        for (const event of lossEvents) client.off?.(event, listener)
      }
    },
  }
  if ('evalSha' in client) {
    const options = (key: string, args: readonly string[]) => ({ keys: [key], arguments: [...args] })
    return {
      ...port,
      drop: () => renewNodeRedis(client),
      evalText: (text, key, args) => client.eval(text, options(key, args)),
      evalSha: (sha1, key, args) => client.evalSha(sha1, options(key, args)),
    }
  }
  if (!('evalsha' in client)) throw notAClient()
  return {
    ...port,
    drop: () => void client.stream?.destroy(),
    evalText: (text, key, args) => client.eval(text, 1, key, ...args),
    evalSha: (sha1, key, args) => client.evalsha(sha1, 1, key, ...args),
  }
}

/**
 * Replaces the connection of a ready client. Other clients are already connecting, or were closed by the application.
 */
function renewNodeRedis(client: Extract<RedisClient, { evalSha: unknown }>): void {
  if (client.isReady !== true || !client.destroy || !client.connect) return
  client.destroy()
  // Failures are events, and it tries again by its own strategy.
  client.connect().catch(() => {})
}

function notAClient(): TypeError {
  return new TypeError('"client" must be a client of ioredis or of node-redis')
}

/** `isCluster` of ioredis, `masters` of node-redis. */
function isCluster(client: RedisClient): boolean {
  return ('isCluster' in client && client.isCluster === true) || 'masters' in client
}
