import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { divide, readCores } from '../src/load/own-core.ts'

describe('cores', () => {
  test.each([
    ['0', [0]],
    ['0-3', [0, 1, 2, 3]],
    ['0-1,4,6-7', [0, 1, 4, 6, 7]],
  ])('are read from %s', (list, cores) => {
    expect(readCores(list)).toEqual(cores)
  })

  test('are divided: the last core is for the servers', () => {
    expect(divide([0, 1, 4])).toEqual({ load: [0, 1], servers: [4] })
    expect(divide([0])).toBeNull()
    expect(divide([])).toBeNull()
  })
})

const isShared = process.platform !== 'linux' || readCores(allowed('self')).length < 2

test.skipIf(isShared)(
  'servers have a core that what asks them has not, those that it starts later as well',
  async () => {
    // A process of its own: this one goes on with all of its cores.
    const load = fork(fileURLToPath(new URL('pinning.ts', import.meta.url)), { execArgv: ['--no-warnings'] })
    const [{ servers, cores }] = await once(load, 'message')
    const [first, second] = cores
    expect(second).toEqual(first)
    expect(first.load).not.toContain(first.servers[0])
    expect(allowed(load.pid ?? 0)).toBe(first.load.join(','))
    expect(servers.map(allowed)).toEqual([first.servers.join(','), first.servers.join(',')])
    load.disconnect()
    await once(load, 'exit')
  },
)

function allowed(pid: number | 'self'): string {
  const [, list = ''] = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return list.includes('-') ? readCores(list).join(',') : list
}
