import type { ChildProcess } from 'node:child_process'
import { type Connection, openConnection } from './connection.ts'
import type { Reply } from './reply.ts'

/** The number of simultaneous clients, each with its own address. */
const clientCount = 64

/** A running server and its requests. */
export interface LoadTarget {
  readonly name: string
  readonly child: ChildProcess
  readonly connections: readonly Connection[]
  /** Returns the next request: always the same, or one of many. */
  next(): Buffer
  /** Resolves to the server's answer to a request, which is compared before the measurement. */
  ask(request: Buffer): Promise<Reply>
  /** Closes the connections; the caller that started the server stops its process. */
  close(): Promise<void>
}

export interface LoadTargetParts {
  readonly name: string
  readonly child: ChildProcess
  readonly port: number
  readonly requests: readonly Buffer[]
}

/** Opens the connections. */
export async function openTarget({ name, child, port, requests }: LoadTargetParts): Promise<LoadTarget> {
  const [first] = requests
  if (!first) throw new Error(`there is nothing to ask ${name}`)
  const connections = await Promise.all(
    Array.from({ length: clientCount }, (_none, client) => openConnection(port, client)),
  )
  let turn = 0
  return {
    name,
    child,
    connections,
    next: requests.length === 1 ? () => first : () => requests[turn++ % requests.length] ?? first,
    async ask(request) {
      const [connection] = connections
      if (!connection) throw new Error(`there is no connection to ${name}`)
      return connection.ask(request)
    },
    async close() {
      for (const connection of connections) connection.close()
    },
  }
}
