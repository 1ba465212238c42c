import { createPostgresBroadcast } from '@latchkey/sql'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'

const outage = { name: 'StoreError', code: 'STORE_UNAVAILABLE' }
const lost = { ...outage, message: 'the connection that listens was lost' }
const late = { ...outage, message: 'the database did not answer within 50 ms' }
const never = () => new Promise<never>(() => {})

type Listener = (...given: never[]) => void

interface FakeClient extends Awaited<ReturnType<Parameters<typeof createPostgresBroadcast>[0]['connect']>> {
  readonly sent: string[]
  readonly listeners: Record<string, Listener[]>
  readonly emit: (event: string, given?: unknown) => void
  ended: number
}

interface FakeOptions {
  readonly answer?: (text: string, client: FakeClient) => Promise<unknown>
  readonly end?: () => Promise<void>
  readonly connection?: { readonly stream?: { destroy(): unknown } }
}

/** A client of `pg` without a server: what it is asked is answered by `answer`. */
function createClient({ answer, end, connection }: FakeOptions = {}): FakeClient {
  const client: FakeClient = {
    sent: [],
    listeners: {},
    ended: 0,
    emit: (event, given) => client.listeners[event]?.forEach((listener) => void listener(given as never)),
    async query(text) {
      client.sent.push(text)
      return answer?.(text, client)
    },
    on(event: string, listener: Listener) {
      client.listeners[event] = [...(client.listeners[event] ?? []), listener]
    },
    async end() {
      client.ended++
      await end?.()
    },
    ...(connection && { connection }),
  }
  return client
}

/** A broadcast whose connections are these clients, one after the other. */
function open(
  clients: readonly (FakeClient | Promise<FakeClient>)[],
  options: Partial<Parameters<typeof createPostgresBroadcast>[0]> = {},
) {
  let connects = 0
  const connect = async () => {
    const client = clients[connects++]
    if (!client) throw new Error('nothing listens there')
    return client
  }
  const broadcast = createPostgresBroadcast({ connect, ...options })
  onTestFinished(() => broadcast.close())
  return { ...broadcast, connects: () => connects }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('the smallest numbers are valid', async () => {
  const client = createClient()
  const { listen } = open([client], { unreadAtMost: 1, deadlineMs: 1, heartbeatMs: 1 })
  const messages = await listen('a')
  client.emit('notification', { payload: 'a 1' })
  expect(await messages.next()).toEqual({ done: false, value: '1' })
})

test('one connection serves all simultaneous listens and publishes, and sends their statements in sequence', async () => {
  let running = 0
  const client = createClient({
    answer: async () => {
      expect(++running).toBe(1)
      await Promise.resolve()
      running--
    },
  })
  const { listen, publish, connects } = open([client])
  await Promise.all([listen('a'), listen('b'), publish('a', '1'), publish('b', '2')])
  expect(connects()).toBe(1)
  expect(client.sent).toEqual(['listen latchkey_broadcast', ...Array(2).fill('select pg_notify($1, $2)')])
})

test.each([
  ['a', 'b'],
  ['', 'a'],
  [' ', '%0020'],
  ['a b', 'a'],
  ['\u001a', '\u0001a'],
  ['\ud800', '\ud801'],
  ['Grüße\0', 'Grüße'],
])('a message reaches its topic and no other: %j, %j', async (one, other) => {
  const notify = vi.fn<(channel: unknown, payload: string) => void>()
  const client = createClient()
  const query = client.query
  const told = Object.assign(client, {
    async query(text: string, values: unknown[] = []) {
      if (values.length > 0) notify(values[0], String(values[1]))
      return query(text)
    },
  })
  const { listen, publish } = open([told])
  const readers = [await listen(one), await listen(other)]
  for (const [index, topic] of [one, other, other, one].entries()) await publish(topic, `${index} ${topic}`)
  for (const [channel, payload] of notify.mock.calls) {
    expect(channel).toBe('latchkey_broadcast')
    client.emit('notification', { payload })
  }
  const read = async (index: number) => (await readers[index]?.next())?.value
  expect([await read(0), await read(0)]).toEqual([`0 ${one}`, `3 ${one}`])
  expect([await read(1), await read(1)]).toEqual([`1 ${other}`, `2 ${other}`])
})

describe('a connection that is lost', () => {
  test.each([
    ['error', new Error('reset')],
    ['end', undefined],
  ])(
    'throws in all iterations at "%s" with the cause, is closed, and is replaced on the next call',
    async (event, cause) => {
      const [client, second] = [createClient(), createClient()]
      const { listen, publish, connects } = open([client, second])
      const messages = await listen('a')
      const waiting = messages.next()
      client.emit(event, cause)
      const error = await waiting.catch((reason: Error) => reason)
      expect(error).toMatchObject(lost)
      expect((error as Error).cause).toBe(cause)
      await vi.waitUntil(() => client.ended === 1)
      await publish('a', '1')
      expect([connects(), second.sent.length]).toEqual([2, 2])
    },
  )

  test('has no heartbeat afterwards, and does not affect its successor', async () => {
    const [client, second] = [createClient(), createClient()]
    const { listen } = open([client, second])
    await listen('a')
    client.emit('end')
    const messages = await listen('a')
    client.emit('error', new Error('late'))
    client.emit('end')
    second.emit('notification', { payload: 'a 1' })
    expect(await messages.next()).toEqual({ done: false, value: '1' })
    await vi.advanceTimersByTimeAsync(5000)
    expect([client.sent, second.sent]).toEqual([
      ['listen latchkey_broadcast'],
      ['listen latchkey_broadcast', 'select 1'],
    ])
  })

  test('is an outage for a listener that waits for its opening, and the next connection works', async () => {
    const client = createClient({ answer: async (_text, { emit }) => emit('end') })
    const { listen } = open([client, createClient()])
    await expect(listen('a')).rejects.toMatchObject(lost)
    await vi.waitUntil(() => client.ended === 1)
    await listen('a')
  })

  test('is replaced even if closing it fails', async () => {
    const end = () => Promise.reject(new Error('it is closed'))
    const client = createClient({ end })
    const { listen } = open([client, createClient({ end })])
    await listen('a')
    client.emit('end')
    await listen('a')
    await vi.waitUntil(() => client.ended === 1)
    await vi.waitUntil(() => vi.getTimerCount() === 1)
  })

  test('is noticed by a statement that fails, and only by one', async () => {
    const refused = new Error('refused')
    let answer = () => Promise.reject(refused)
    const client = createClient({ answer: async (text) => text.includes('notify') && answer() })
    const { listen, publish } = open([client, createClient()])
    const waiting = (await listen('a')).next()
    const first = publish('a', '1')
    const second = publish('a', '2')
    const error = await first.catch((reason: Error) => reason)
    expect(error).toMatchObject({ ...outage, message: 'the database could not be reached', cause: refused })
    answer = async () => undefined as never
    await expect(waiting).rejects.toMatchObject({ ...lost, cause: refused })
    await expect(second).rejects.toMatchObject({ cause: refused })
    await publish('a', '3')
    expect(client.sent).toHaveLength(3)
  })

  test('is noticed by the heartbeat if no statement is answered', async () => {
    const client = createClient({ answer: (text) => (text === 'select 1' ? never() : Promise.resolve()) })
    const { listen } = open([client, createClient()], { heartbeatMs: 100, deadlineMs: 50 })
    const waiting = expect((await listen('a')).next()).rejects.toMatchObject(lost)
    await vi.advanceTimersByTimeAsync(200)
    await waiting
    expect(client.ended).toBe(1)
  })
})

describe('a connection that cannot be opened', () => {
  test('is an outage, and is tried again by the next call', async () => {
    const { listen, connects } = open([])
    await expect(listen('a')).rejects.toMatchObject({
      ...outage,
      message: 'the database could not be reached',
      cause: { message: 'nothing listens there' },
    })
    await expect(listen('a')).rejects.toMatchObject(outage)
    expect(connects()).toBe(2)
  })

  test('is closed when it may not listen', async () => {
    const client = createClient({ answer: () => Promise.reject(new Error('refused')) })
    const { listen } = open([client])
    await expect(listen('a')).rejects.toMatchObject({ ...outage, cause: { message: 'refused' } })
    expect(client.ended).toBe(1)
  })

  test('is given up at the deadline, and closed if it opens later', async () => {
    const { promise: connected, resolve } = Promise.withResolvers<FakeClient>()
    const { listen } = open([connected], { deadlineMs: 50 })
    const refused = expect(listen('a')).rejects.toMatchObject(late)
    await vi.advanceTimersByTimeAsync(60)
    await refused
    const client = createClient()
    resolve(client)
    await vi.waitUntil(() => client.ended === 1)
    expect(client.sent).toEqual([])
  })

  test('is closed at the deadline of LISTEN, and has no heartbeat if LISTEN succeeds later', async () => {
    const { promise: answered, resolve } = Promise.withResolvers<void>()
    const client = createClient({ answer: () => answered })
    const { listen } = open([client], { deadlineMs: 50 })
    const refused = expect(listen('a')).rejects.toMatchObject(late)
    await vi.advanceTimersByTimeAsync(60)
    await refused
    expect(client.ended).toBe(1)
    resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('closing', () => {
  test('finishes the iterations and the connection, leaves no timer, and later calls are refused', async () => {
    const client = createClient()
    const { listen, publish, close, connects } = open([client, createClient()])
    const waiting = (await listen('a')).next()
    await close()
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect([client.ended, vi.getTimerCount()]).toEqual([1, 0])
    const refusal = { ...outage, message: 'the broadcast is closed' }
    await expect(listen('a')).rejects.toMatchObject(refusal)
    await expect(publish('a', '1')).rejects.toMatchObject(refusal)
    expect(connects()).toBe(1)
  })

  test('waits until the connection is closed, and does not mind how', async () => {
    const { promise, reject } = Promise.withResolvers<void>()
    const { listen, close } = open([createClient({ end: () => promise })])
    await listen('a')
    let isClosed = false
    const closing = close().then(() => {
      isClosed = true
    })
    await vi.advanceTimersByTimeAsync(100)
    expect(isClosed).toBe(false)
    reject(new Error('reset'))
    await closing
  })

  test.each([{}, { connection: {} }])(
    'resolves at the deadline if the connection does not close: %j',
    async (parts) => {
      const { listen, close } = open([createClient({ end: never, ...parts })], { deadlineMs: 2000 })
      await listen('a')
      const closing = close()
      await vi.advanceTimersByTimeAsync(2001)
      await closing
    },
  )

  test('cuts a connection that does not end within a second', async () => {
    const destroy = vi.fn()
    const { listen, close } = open([createClient({ end: never, connection: { stream: { destroy } } })])
    await listen('a')
    const closing = close()
    await vi.advanceTimersByTimeAsync(999)
    expect(destroy).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(destroy).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(3000)
    await closing
  })

  test('resolves if the connection never opens, or fails to open', async () => {
    const hanging = open([never() as Promise<FakeClient>], { deadlineMs: 50 })
    const refused = expect(hanging.listen('a')).rejects.toMatchObject(outage)
    const closing = hanging.close()
    await vi.advanceTimersByTimeAsync(60)
    await Promise.all([refused, closing])
  })
})
