import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { loginWays, rightPassword } from './login-ways.ts'

// A server in a process of its own: `/login` hashes, `/ping` needs the event loop, `/file` needs libuv's pool.
const way = await loginWays[process.argv[2] ?? '']?.()
if (!way) throw new Error(`there is no way called ${process.argv[2]}`)
const file = new URL(import.meta.url)
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()

const answers: Record<string, () => Promise<string | Uint8Array>> = {
  '/ping': async () => 'pong',
  '/file': () => readFile(file),
  '/login': async () => String(await way.check(rightPassword)),
}

const server = createServer(async (request, response) => {
  response.end(await answers[request.url ?? '']?.())
})

process.on('message', async (message) => {
  if (message === 'reset') delay.reset()
  if (message === 'report') process.send?.({ delayMaxMs: delay.max / 1e6, delayP99Ms: delay.percentile(99) / 1e6 })
  if (message === 'stop') {
    server.close()
    server.closeAllConnections()
    await way.close()
    process.disconnect()
  }
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
