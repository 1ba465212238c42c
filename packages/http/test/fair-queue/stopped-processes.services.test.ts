import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'

const file = fileURLToPath(new URL('./stopped-service.ts', import.meta.url))

/** Starts the service, which goes on every 100 ms where it was stopped, and returns its port. */
async function start(...args: readonly string[]): Promise<number> {
  const child = fork(file, args, { execArgv: ['--conditions=@latchkey/source', '--no-warnings'] })
  const timer = setInterval(() => child.kill('SIGCONT'), 100)
  onTestFinished(() => {
    clearInterval(timer)
    child.kill('SIGKILL')
  })
  const [port] = await once(child, 'message')
  return port
}

async function ask(port: number, localAddress: string, path: string): Promise<number> {
  const [response] = await once(
    request({ host: '127.0.0.1', port, path, localAddress, agent: false }).end(),
    'response',
  )
  response.resume()
  return response.statusCode
}

/** Sends twenty requests, each after one of another address, and returns what is answered. */
async function statusesOf(port: number, path = '/stopped'): Promise<ReadonlySet<number>> {
  const statuses = new Set<number>()
  for (let sent = 0; sent < 20; sent++) {
    expect(await ask(port, '127.0.0.2', '/')).toBe(200)
    statuses.add(await ask(port, '127.0.0.1', path))
  }
  return statuses
}

describe('requests of an honest client in a process that is stopped most of the time', () => {
  test('none of them is refused', async () => {
    expect(await statusesOf(await start())).toEqual(new Set([200]))
  })

  test('some are refused where requests count by the clock alone', async () => {
    expect(await statusesOf(await start('by-the-clock'))).toEqual(new Set([200, 429]))
  })

  test('some are refused if the disk is written meanwhile, because waiting for a disk holds the event loop', async () => {
    expect(await statusesOf(await start(), '/written')).toEqual(new Set([200, 429]))
  })
})
