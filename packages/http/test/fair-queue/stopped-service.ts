// A service in a process of its own that is stopped within each request to /stopped, as one is whose container has used up its
// quota; within one to /written it writes to the disk before. The process that has started it lets it go on.
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHttpHandler } from '@latchkey/http'
import { createFairQueue } from '@latchkey/http/fair-queue'
import { toNodeListener } from '@latchkey/http/node'

const byTheClock = process.argv.includes('by-the-clock')
const turns = createFairQueue({ waitMs: 200, ...(byTheClock && { usage: null }) })
const handler = createHttpHandler(async (request) => {
  const turn = await turns.enter(request)
  if (turn.ok && request.target === '/written') write()
  if (turn.ok && request.target !== '/') process.kill(process.pid, 'SIGSTOP')
  return { status: turn.ok ? 200 : 429, headers: [], body: null }
})

function write(): void {
  // Beside the packages: what is written to a folder for temporary files may stay in memory.
  const file = new URL(`../../node_modules/written-${process.pid}`, import.meta.url)
  writeFileSync(file, 'x', { flush: true })
  rmSync(file)
}

const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port)
})
process.on('disconnect', () => process.exit())
