import { connect, type Socket } from 'node:net'
import {
  createMetadataClientReader,
  type MetadataClientReader,
  type MetadataClientReading,
} from '@latchkey/oauth/internal'

type Options = Parameters<typeof createMetadataClientReader>[0]

export interface OpenReader extends MetadataClientReader {
  /** Reads for a requester who has asked for nothing else. */
  readOnce(id: string, asking?: Partial<Parameters<MetadataClientReader['read']>[1]>): Promise<MetadataClientReading>
  /** The names that were looked up, in order. */
  readonly lookups: readonly string[]
  /** The addresses that were connected to, in order. */
  readonly connections: readonly string[]
  readonly clock: { ms: number }
}

/**
 * A reader whose names and connections are logged. Connections to any address lead to a port of this machine: without one,
 * those to 127.0.0.1 and [::1] are real and all others end.
 */
export function openReader(
  options: Partial<Omit<Options, 'resolve'>> & {
    readonly names?: Readonly<Record<string, readonly string[]>> | NonNullable<Options['resolve']>
    readonly port?: number
  } = {},
): OpenReader {
  const { names = {}, port, ...given } = options
  const lookups: string[] = []
  const connections: string[] = []
  const clock = { ms: Date.UTC(2026, 10, 29) }
  const reader = createMetadataClientReader({
    from: 'any',
    issuer: 'https://login.example',
    now: () => clock.ms,
    resolve: async (host) => {
      lookups.push(host)
      return typeof names === 'function' ? names(host) : (names[host] ?? [])
    },
    connect: (to) => {
      connections.push(`${to.address} ${to.port}`)
      if (port !== undefined) return connect({ host: '127.0.0.1', port })
      return isHere(to.address) ? connect({ host: to.address, port: to.port }) : ended()
    },
    ...given,
  })
  let requesters = 0
  return {
    ...reader,
    readOnce: (id, asking) => reader.read(id, { address: `198.51.100.${++requesters % 256}`, ...asking }),
    lookups,
    connections,
    clock,
  }
}

const isHere = (address: string): boolean => address === '127.0.0.1' || address === '::1'

function ended(): Socket {
  const socket = connect({ host: '127.0.0.1', port: 1 })
  socket.destroy()
  return socket
}
