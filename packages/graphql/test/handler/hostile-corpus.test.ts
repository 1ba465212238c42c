import { once } from 'node:events'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { medianCpuMilliseconds } from '@latchkey/test-services'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HostileLine, hostileCorpus } from '../support/hostile-corpus.ts'
import { bearer, cookie, read, type Service, serve } from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await serve()
})
afterAll(() => service.close())

const askers: readonly (readonly [who: string, headers: Readonly<Record<string, string>>])[] = [
  ['no identity', {}],
  ['a client with a cookie', cookie('author')],
  ['a client with a token', bearer('author')],
]

const send = async ({ init, search = '' }: HostileLine, headers: Readonly<Record<string, string>>) =>
  read(await fetch(`${service.url}${search}`, { ...init, headers: { ...(init.headers as object), ...headers } }))

/** For the client and the honest request as well, which compute in the same thread. */
const budgetMs = 100

// The identity is read before the document, so a line costs the same for other senders.
const isLong = process.env.TEST_TIER === '3'
describe.each(askers.slice(0, isLong ? undefined : 2))('a hostile request from %s:', (_who, headers) => {
  test.each(hostileCorpus.map((line) => [line.what, line] as const))(
    '%s gets the status of its row within 100 ms of CPU time, and a concurrent honest request is answered',
    async (_what, line) => {
      const cost = await medianCpuMilliseconds(async () => {
        service.ran.length = 0
        const [{ status, codes, body }, beside] = await Promise.all([send(line, headers), send(honest, headers)])
        expect(beside.status).toBe(200)
        expect([status, codes[0] ?? null]).toEqual([line.status, line.code])
        expect('data' in body).toBe(line.code === null)
        if (line.code !== null) expect(service.ran).toEqual(['Query.hello'])
      })
      expect(cost).toBeLessThan(budgetMs)
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    },
  )

  test('an aborted body leaves no work running', async () => {
    const lines = Object.entries({ 'content-type': 'application/json', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    )
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.end(
      `POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n${lines.join('\r\n')}\r\n\r\n{"query":"{hello`,
    )
    socket.resume()
    await once(socket, 'close')
    service.ran.length = 0
    expect(await send(honest, headers)).toMatchObject({ status: 200 })
    expect(service.ran).toEqual(['Query.hello'])
    expect(service.events.filter(({ type }) => type === 'access.failed')).toEqual([])
  })
})

const honest: HostileLine = {
  what: 'an honest request',
  status: 200,
  code: null,
  init: { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"query":"{ hello }"}' },
}

test('the memory is flat, however often the corpus is sent', { timeout: 120_000 }, async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heapAfter = async (rounds: number): Promise<number> => {
    for (let round = 0; round < rounds; round++) {
      for (const line of hostileCorpus) for (const [, headers] of askers) await send(line, headers)
      service.events.length = 0
      service.ran.length = 0
    }
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = await heapAfter(1)
  expect((await heapAfter(isLong ? 50 : 2)) - before).toBeLessThan(5_000_000)
})
