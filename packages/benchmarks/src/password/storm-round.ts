import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { percentile } from '../statistics.ts'

/** The result of one round with one way of logging in. */
export type StormResult = {
  idlePingMs: number
  pingMs: number
  idleFileMs: number
  fileMs: number
  delayMaxMs: number
  loginsPerSecond: number
}

const clients = 8
const intervalMs = 5

/**
 * Lets 8 clients log in without pause and measures what all other requests notice: the 99th percentile of a request that
 * needs the event loop and of one that reads a file, each asked every 5 ms, without and with the storm.
 */
export async function measureStormRound(way: string, seconds: number): Promise<StormResult> {
  const script = fileURLToPath(new URL('./storm-server.ts', import.meta.url))
  const server = fork(script, [way], { execArgv: ['--conditions=@latchkey/source'] })
  const { port } = await nextMessage<{ port: number }>(server)
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const ask = (path: string): Promise<void> => request(agent, port, path)
  await Promise.all(Array.from({ length: clients }, () => ask('/login')))
  await probe(ask, 300)

  const idle = await probe(ask, 1000)
  server.send('reset')
  let isStorm = true
  let logins = 0
  const startedAt = performance.now()
  const storm = Array.from({ length: clients }, async () => {
    while (isStorm) {
      await ask('/login')
      logins++
    }
  })
  const busy = await probe(ask, seconds * 1000)
  const loginsPerSecond = (logins * 1000) / (performance.now() - startedAt)
  server.send('report')
  const { delayMaxMs } = await nextMessage<{ delayMaxMs: number }>(server)
  isStorm = false
  await Promise.all(storm)
  agent.destroy()
  server.send('stop')
  await once(server, 'exit')
  return {
    idlePingMs: percentile(idle.ping, 0.99),
    pingMs: percentile(busy.ping, 0.99),
    idleFileMs: percentile(idle.file, 0.99),
    fileMs: percentile(busy.file, 0.99),
    delayMaxMs,
    loginsPerSecond,
  }
}

/** Asks every few milliseconds, whether or not the last answer has come, and returns the times until each answer. */
async function probe(
  ask: (path: string) => Promise<void>,
  durationMs: number,
): Promise<{ ping: number[]; file: number[] }> {
  const times: { ping: number[]; file: number[] } = { ping: [], file: [] }
  const open: Promise<void>[] = []
  const measure = async (kind: 'ping' | 'file', dueAt: number): Promise<void> => {
    await ask(`/${kind}`)
    times[kind].push(performance.now() - dueAt)
  }
  const startedAt = performance.now()
  for (let dueAt = startedAt; dueAt < startedAt + durationMs; dueAt += intervalMs) {
    const waitMs = dueAt - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    const sentAt = performance.now()
    open.push(measure('ping', sentAt), measure('file', sentAt))
  }
  await Promise.all(open)
  return times
}

function request(agent: Agent, port: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = get({ agent, host: '127.0.0.1', port, path }, (response) => {
      response.resume().on('end', resolve).on('error', reject)
    })
    sent.on('error', reject)
  })
}

async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const [message] = await once(child, 'message')
  return message as Message
}
