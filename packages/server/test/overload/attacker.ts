// A client that sends one line again and again, over some connections at once and without pause, until it is ordered another.
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { WebSocket } from 'ws'
import { type HostileLine, hostileLines } from './hostile-lines.ts'

/** What the parent process says. A line that does not exist ends the attack. */
export interface Attack {
  readonly port: number
  readonly index: number
}

/** Another address than that of honest clients. */
const localAddress = '127.0.0.2'
const host = '127.0.0.1'
const connections = 8

let current: Attack | undefined
let ended = new AbortController()
process.on('message', (attack: Attack) => {
  current = attack
  // What waits for its turn would have it while honest requests are measured alone.
  ended.abort()
  ended = new AbortController()
  const line = hostileLines[attack.index]
  if (line) for (let one = 0; one < connections; one++) void repeat(attack, line)
})
process.on('disconnect', () => process.exit())

async function repeat(attack: Attack, line: HostileLine): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress })
  const step = () => send(attack, line, agent)
  while (current === attack) {
    await step().catch(() => null)
    // Where a connection fails at once, the attacker must not block its own process.
    await new Promise(setImmediate)
  }
  agent.destroy()
}

function send(attack: Attack, line: HostileLine, agent: Agent): Promise<unknown> {
  if (line.by === 'requests') return sendRequest(attack, line, agent)
  if (line.by === 'sockets') return openSocket(attack)
  if (line.by === 'messages') return sendMessages(attack, line.query)
  if (line.by === 'slow readers') return holdConnection(attack, postOf(line.query))
  if (line.by === 'slow bodies') return holdConnection(attack, `${headOf(1_000)}{`)
  return holdConnection(attack, '')
}

function sendRequest(
  { port }: Attack,
  { path = '/graphql', method = 'GET', headers = {}, body }: Extract<HostileLine, { by: 'requests' }>,
  agent: Agent,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const { signal } = ended
    const sent = request({ host, port, path, method, headers, agent, signal }, (response) => {
      response.resume().on('end', resolve).on('error', reject)
    })
    sent.on('error', reject).end(body)
  })
}

function openSocket({ port }: Attack): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://${host}:${port}/graphql`, 'graphql-transport-ws', { localAddress })
    socket.on('open', () => socket.terminate())
    socket.on('close', () => resolve())
    socket.on('error', reject)
  })
}

/** Each subscription is refused, and the next one sent at once. */
function sendMessages({ port }: Attack, query: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://${host}:${port}/graphql`, 'graphql-transport-ws', { localAddress })
    let id = 0
    const end = (): void => socket.terminate()
    const { signal } = ended
    signal.addEventListener('abort', end)
    socket.on('open', () => socket.send('{"type":"connection_init"}'))
    socket.on('message', () => socket.send(JSON.stringify({ id: `${id++}`, type: 'subscribe', payload: { query } })))
    socket.on('close', () => resolve(signal.removeEventListener('abort', end)))
    socket.on('error', reject)
  })
}

const headOf = (length: number): string =>
  `POST /graphql HTTP/1.1\r\nhost: ${host}:${current?.port}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

function postOf(query: string): string {
  const body = JSON.stringify({ query })
  return `${headOf(body.length)}${body}`
}

/** Nothing is read of what comes back; after a quarter of a second the next connection follows. */
function holdConnection({ port }: Attack, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, localAddress })
    socket.pause().on('error', reject).write(text)
    setTimeout(() => resolve(void socket.destroy()), 250)
  })
}
