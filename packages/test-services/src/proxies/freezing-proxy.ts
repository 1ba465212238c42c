import { connect, createServer, type Socket } from 'node:net'

/** Stands between a client and a server, and can let the way between them freeze without either side noticing. */
export interface FreezingProxy {
  readonly port: number
  /** The number of connections that clients have opened, closed connections included. */
  readonly opened: number
  /** How many connections were refused so far. */
  readonly refused: number
  /** How many connections are open. */
  readonly connections: number
  /**
   * Stops forwarding in both directions without closing connections: new connections are accepted and frozen too. Data
   * sent meanwhile is kept, and forwarded by `thaw`.
   *
   * @param options `halfOpen`: freezes only the open connections, permanently: the server has forgotten them and their
   * data is lost, as when a firewall drops them. New connections are forwarded.
   */
  freeze(options?: { readonly halfOpen?: boolean }): void
  /** Forwards what was kept, and everything from now on. Half-open connections stay dead. */
  thaw(): void
  /** Forwards new connections to that port, as when a name leads to another server. Open connections stay. */
  moveTo(target: number): void
  /** While set, which is the default argument, new connections are refused; open connections stay. */
  refuse(isRefusing?: boolean): void
  /** Closes all connections and the port. */
  close(): Promise<void>
}

interface Pair {
  readonly client: Socket
  readonly server: Socket
}

/** Listens on a free port of this machine and forwards everything to `target`. */
export async function createFreezingProxy(firstTarget: number): Promise<FreezingProxy> {
  const pairs = new Set<Pair>()
  const dead = new Set<Socket>()
  let [isFrozen, isRefusing, opened, refused] = [false, false, 0, 0]
  let target = firstTarget

  const listener = createServer((client) => {
    if (isRefusing) {
      refused++
      client.resetAndDestroy()
      return
    }
    opened++
    const pair = { client, server: connect(target, '127.0.0.1') }
    pairs.add(pair)
    forward(pair, client, pair.server)
    forward(pair, pair.server, client)
  })

  function forward(pair: Pair, from: Socket, to: Socket): void {
    from.setNoDelay(true)
    from.on('data', (chunk: Buffer) => to.write(chunk))
    from.on('error', () => drop(pair))
    from.on('close', () => drop(pair))
    if (isFrozen) from.pause()
  }

  function drop(pair: Pair): void {
    if (!pairs.delete(pair)) return
    pair.client.destroy()
    pair.server.destroy()
  }

  /** The server's end is closed, and the client's stays open without anyone who reads or writes. */
  function forget(pair: Pair): void {
    pairs.delete(pair)
    dead.add(pair.client)
    pair.client.removeAllListeners('data')
    pair.client.once('close', () => dead.delete(pair.client))
    pair.client.resume()
    pair.server.destroy()
  }

  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy listens on no port')
  return {
    port: address.port,
    get opened() {
      return opened
    },
    get refused() {
      return refused
    },
    get connections() {
      return pairs.size + dead.size
    },
    freeze({ halfOpen = false } = {}) {
      if (halfOpen) return [...pairs].forEach(forget)
      isFrozen = true
      for (const { client, server } of pairs) for (const socket of [client, server]) socket.pause()
    },
    thaw() {
      isFrozen = false
      for (const { client, server } of pairs) for (const socket of [client, server]) socket.resume()
    },
    moveTo(next) {
      target = next
    },
    refuse(refusing = true) {
      isRefusing = refusing
    },
    async close() {
      for (const pair of [...pairs]) drop(pair)
      for (const socket of dead) socket.destroy()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}
