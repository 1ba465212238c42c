import { createPostgresBroadcast } from '@latchkey/sql'
import { describeBroadcast } from '@latchkey/store/testing'
import { createTcpProxy, startPostgres, type TcpProxy, type TestServer } from '@latchkey/test-services'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'

let server: TestServer | null
let proxy: TcpProxy

beforeAll(async () => {
  server = await startPostgres()
  if (server) proxy = await createTcpProxy(server.port)
})
afterAll(async () => {
  await proxy?.close()
  await server?.stop()
})
beforeEach(({ skip }) => skip(server === null, 'PostgreSQL is not installed'))

function create(port: number, options: Partial<Parameters<typeof createPostgresBroadcast>[0]> = {}) {
  return createPostgresBroadcast({
    async connect() {
      const client = new pg.Client({ connectionString: `postgres://postgres@127.0.0.1:${port}/postgres` })
      await client.connect()
      return client
    },
    ...options,
  })
}

function open(port: number, options: Partial<Parameters<typeof createPostgresBroadcast>[0]> = {}) {
  const broadcast = create(port, options)
  onTestFinished(() => broadcast.close())
  return broadcast
}
const outage = { name: 'StoreError', code: 'STORE_UNAVAILABLE' }

test('a message reaches all listeners of its topic, in every process, and no others', async () => {
  const [here, there] = [open(server!.port), open(server!.port)]
  const [one, two, other] = [
    await here.listen('Grüße an alle'),
    await there.listen('Grüße an alle'),
    await there.listen('b'),
  ]
  await here.publish('Grüße an alle', "it's 'quoted' \\ and long ".repeat(20))
  await there.publish('b', '2')
  for (const messages of [one, two]) expect((await messages.next()).value).toMatch(/^it's 'quoted' \\ and/)
  expect(await other.next()).toEqual({ done: false, value: '2' })
})

test('a lost connection throws in all iterations, and the next connection works', async () => {
  const broadcast = open(proxy.port)
  const messages = await broadcast.listen('a')
  const waiting = messages.next()
  proxy.cut()
  await expect(waiting).rejects.toMatchObject(outage)
  const again = await broadcast.listen('a')
  await open(server!.port).publish('a', '1')
  expect(await again.next()).toEqual({ done: false, value: '1' })
})

test('a dead connection is detected', async () => {
  const broadcast = open(proxy.port, { heartbeatMs: 100, deadlineMs: 2_000 })
  const messages = await broadcast.listen('a')
  const waiting = messages.next()
  proxy.hold()
  onTestFinished(() => proxy.release())
  await expect(waiting).rejects.toMatchObject(outage)
  await expect(broadcast.publish('a', '1')).rejects.toMatchObject(outage)
})

test('a database that cannot be reached is an outage', async () => {
  const broadcast = open(1)
  await expect(broadcast.listen('a')).rejects.toMatchObject(outage)
  await expect(broadcast.publish('a', '1')).rejects.toMatchObject(outage)
})

test('a closed broadcast neither listens nor connects again', async () => {
  const broadcast = open(server!.port)
  const messages = await broadcast.listen('a')
  await broadcast.close()
  expect(await messages.next()).toEqual({ done: true, value: undefined })
  await expect(broadcast.listen('a')).rejects.toMatchObject(outage)
})

describe('the broadcast of PostgreSQL', () => {
  const opened: ReturnType<typeof create>[] = []
  afterAll(() => Promise.all(opened.map((broadcast) => broadcast.close())))
  const openFor = (port: number) => {
    const broadcast = create(port, { deadlineMs: 2_000 })
    opened.push(broadcast)
    return broadcast
  }
  describeBroadcast({
    describe,
    test,
    createBroadcast: () => openFor(proxy.port),
    disconnect: () => proxy.cut(),
    unreachable: () => openFor(1),
    deadlineMs: 2_000,
  })
})
