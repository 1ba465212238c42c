import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { watchStolenTime } from './stolen-time.ts'

/** A client that sends one message after the other, with pauses, over one connection. */
export interface HonestClient {
  /** Returns once the answer has arrived. */
  ask(): Promise<void>
  close(): void
}

/** Another address than that of attackers. */
const honestAddress = '127.0.0.3'

export interface Times {
  readonly median: number
  readonly p99: number
  /** Why the client could not go on. */
  readonly failure: string | null
}

export interface Asking {
  readonly everyMs: number
  readonly milliseconds: number
  /** The service, and who asks. */
  readonly pids: readonly number[]
}

/**
 * Asks until the milliseconds have passed and returns what the round trips have taken, without the time in which service and
 * client were ready and had no processor. Where an answer takes longer than from one question to the next, the questions that would
 * have been asked meanwhile count as well: they would have waited, too.
 */
export async function measureTimes(client: HonestClient, { everyMs, milliseconds, pids }: Asking): Promise<Times> {
  const spent: number[] = []
  let failure: string | null = null
  const end = performance.now() + milliseconds
  // What has no answer then has taken so long at least.
  const given = setTimeout(milliseconds + graceMs, undefined, { ref: false })
  const fail = (error: Error): Promise<void> => {
    failure ??= error.message
    return given
  }
  for (let now = performance.now(); now < end; now = performance.now()) {
    const stolenMs = watchStolenTime(pids)
    await Promise.race([client.ask().catch(fail), given])
    const taken = performance.now() - now
    spent.push(Math.max(0, taken - stolenMs()))
    for (let one = (spent.at(-1) ?? 0) - everyMs; one > 0; one -= everyMs) spent.push(one)
    await setTimeout(everyMs * (0.5 + Math.random()))
  }
  const sorted = spent.sort((a, b) => a - b)
  const at = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
  return { median: at(0.5), p99: at(0.99), failure }
}

const graceMs = 2_000

/** Opens a client of queries over a connection that is kept alive. */
export async function openHonestRequests(port: number, localAddress = honestAddress): Promise<HonestClient> {
  const socket = connect({ host: '127.0.0.1', port, localAddress })
  socket.setEncoding('utf8').setNoDelay()
  const lost = new Promise<never>((_resolve, reject) => {
    socket.on('error', reject).on('close', () => reject(new Error('the connection of honest requests was closed')))
  })
  lost.catch(() => null)
  const body = '{"query":"{ hello }"}'
  const head = `POST /graphql HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json`
  const send = (): Promise<void> =>
    new Promise((resolve, reject) => {
      let answer = ''
      const read = (text: string): void => {
        answer += text
        if (!answer.endsWith('}')) return
        socket.off('data', read)
        if (answer.endsWith('{"data":{"hello":"Hello"}}')) resolve()
        else reject(new Error(`an honest request was answered: ${answer}`))
      }
      socket.on('data', read).write(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    })
  return { ask: () => Promise.race([send(), lost]), close: () => void socket.destroy() }
}

/** Opens a client of pings of graphql-transport-ws, over a WebSocket that has been accepted. */
export async function openHonestPings(port: number): Promise<HonestClient> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws', {
    localAddress: honestAddress,
  })
  const lost = new Promise<never>((_resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', (code) => reject(new Error(`the WebSocket of honest pings was closed with ${code}`)))
  })
  lost.catch(() => null)
  const response = (): Promise<void> => new Promise((resolve) => socket.once('message', () => resolve()))
  const send = (type: string): Promise<void> => {
    const replied = response()
    socket.send(JSON.stringify({ type }))
    return Promise.race([replied, lost])
  }
  await Promise.race([new Promise((resolve) => socket.once('open', resolve)), lost])
  await send('connection_init')
  return { ask: () => send('ping'), close: () => socket.terminate() }
}
