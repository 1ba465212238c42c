import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { monotonicMs } from './thread-trace.ts'

/** How many honest requests at most, and for how long at most. */
export interface Order {
  readonly requests?: number
  readonly milliseconds?: number
  /** What it waits between two requests, in the middle. @default 4 */
  readonly pauseMs?: number
}

/** A client that sends one request after the other, with pauses. */
export interface HonestClient {
  /** Returns what the service has computed from the sending of each request to its resolver, in milliseconds. */
  ask(order: Order): Promise<readonly number[]>
  close(): void
}

/** A service that has stopped answering ends the measurement. */
const answerMs = 60_000

export function createHonestClient(port: number): HonestClient {
  let current: Connection | null = null
  return {
    async ask(order) {
      // The service closes a connection that is idle for some seconds.
      current = connectTo(port)
      const { socket, lost } = current
      const { requests = Number.POSITIVE_INFINITY, milliseconds = Number.POSITIVE_INFINITY, pauseMs = 4 } = order
      const spent: number[] = []
      const end = performance.now() + milliseconds
      while (spent.length < requests && performance.now() < end) {
        if (pauseMs > 0) await setTimeout(pauseMs * (0.5 + Math.random()))
        spent.push(await Promise.race([lost, send(socket, port)]))
      }
      socket.destroy()
      return spent
    },
    close: () => void current?.socket.destroy(),
  }
}

interface Connection {
  readonly socket: ReturnType<typeof connect>
  /** Rejects when it is closed. */
  readonly lost: Promise<never>
}

function connectTo(port: number): Connection {
  const socket = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.1' })
  socket.setEncoding('utf8').setNoDelay()
  const lost = new Promise<never>((_resolve, reject) => {
    socket.setTimeout(answerMs, () => socket.destroy(new Error('an honest request was not answered')))
    socket.on('error', reject).on('close', () => reject(new Error('the connection of honest requests was closed')))
  })
  lost.catch(() => null)
  return { socket, lost }
}

const query = 'query ($since: Float!) { waited(since: $since) }'

function send(socket: ReturnType<typeof connect>, port: number): Promise<number> {
  const head = `POST /graphql HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json`
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let answer = ''
  const read = (text: string): void => {
    answer += text
    if (!answer.endsWith('}')) return
    socket.off('data', read)
    const [, waited] = /\{"data":\{"waited":([\d.e-]+)\}\}$/.exec(answer) ?? []
    if (waited === undefined) reject(new Error(`an honest request was answered: ${answer}`))
    else resolve(Number(waited))
  }
  socket.on('data', read)
  const body = JSON.stringify({ query, variables: { since: monotonicMs() } })
  socket.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  return promise
}
