import { connect, createServer, type Server, type Socket } from 'node:net'

/** Stands between a client and a server, and spoils the way. */
export interface TcpProxy {
  readonly port: number
  /** How many connections are open. */
  readonly connections: number
  /** Cuts every connection; new ones are taken. */
  cut(): void
  /**
   * Cuts the connection whose traffic matches, at once: `request` before it reaches the server, `reply` after the server
   * has done it and before the client hears. Once; the promise resolves when it has happened.
   */
  cutAt(direction: 'request' | 'reply', matches: (chunk: Buffer) => boolean): Promise<void>
  /** Holds what either side sends, without closing anything, until `release`. */
  hold(): void
  release(): void
  /** While set, connections are refused. */
  refuse(isRefusing: boolean): void
  close(): Promise<void>
}

interface Trap {
  readonly direction: 'request' | 'reply'
  readonly matches: (chunk: Buffer) => boolean
  readonly sprung: () => void
}

/** Listens on a free port of this machine and passes everything on to `target`. */
export async function createTcpProxy(target: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let [isHolding, isRefusing] = [false, false]
  let trap: Trap | null = null

  const server = createServer((client) => {
    if (isRefusing) return void client.destroy()
    const pair = [client, connect(target, '127.0.0.1')] as const
    pairs.add(pair)
    wire(pair, 'request')
    wire(pair, 'reply')
  })

  function wire(pair: readonly [Socket, Socket], direction: Trap['direction']): void {
    const [from, to] = direction === 'request' ? pair : [pair[1], pair[0]]
    const drop = () => dropPair(pair)
    from.setNoDelay(true)
    from.on('data', (chunk: Buffer) => {
      if (trap?.direction === direction && trap.matches(chunk)) {
        const { sprung } = trap
        trap = null
        drop()
        sprung()
      } else to.write(chunk)
    })
    if (isHolding) from.pause()
    from.on('error', drop)
    from.on('close', drop)
  }

  function dropPair(pair: readonly [Socket, Socket]): void {
    pairs.delete(pair)
    for (const socket of pair) socket.destroy()
  }
  function eachSocket(act: (socket: Socket) => void): void {
    for (const socket of [...pairs].flat()) act(socket)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: portOf(server),
    get connections() {
      return pairs.size
    },
    cut: () => {
      for (const pair of [...pairs]) dropPair(pair)
    },
    cutAt: (direction, matches) =>
      new Promise((sprung) => {
        trap = { direction, matches, sprung }
      }),
    hold() {
      isHolding = true
      eachSocket((socket) => socket.pause())
    },
    release() {
      isHolding = false
      eachSocket((socket) => socket.resume())
    },
    refuse: (refusing) => {
      isRefusing = refusing
    },
    async close() {
      for (const pair of [...pairs]) dropPair(pair)
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy listens on no port')
  return address.port
}
