import { queryObjects } from 'node:v8'
import { type Broadcast, createBroadcastReaders, createMemoryBroadcast, StoreError } from '@latchkey/store'
import { describeBroadcast } from '@latchkey/store/testing'
import { collectTests, failuresOf } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

const lost = new StoreError('STORE_UNAVAILABLE', 'the connection was lost')

test('all listeners of a topic receive its messages in order, from then on', async () => {
  const broadcast = createMemoryBroadcast()
  await broadcast.publish('a', 'before')
  const [one, two, other] = [await broadcast.listen('a'), await broadcast.listen('a'), await broadcast.listen('b')]
  await broadcast.publish('a', '1')
  await broadcast.publish('a', '2')
  await broadcast.publish('b', '3')
  for (const messages of [one, two])
    expect([await messages.next(), await messages.next()]).toMatchObject([{ value: '1' }, { value: '2' }])
  expect(await other.next()).toEqual({ done: false, value: '3' })
})

test('a waiting reader is woken, and a returned reader receives no further messages', async () => {
  const broadcast = createMemoryBroadcast()
  const messages = await broadcast.listen('a')
  const waiting = messages.next()
  await broadcast.publish('a', '1')
  expect(await waiting).toEqual({ done: false, value: '1' })
  const last = messages.next()
  expect(await messages.return?.()).toEqual({ done: true, value: undefined })
  expect(await messages.return?.()).toEqual({ done: true, value: undefined })
  expect(await last).toEqual({ done: true, value: undefined })
  await broadcast.publish('a', '2')
  expect(await messages.next()).toEqual({ done: true, value: undefined })
})

test('a reader that returns leaves the others of its topic, and a loop over the messages can end itself', async () => {
  const readers = createBroadcastReaders({ unreadAtMost: 10 })
  const [leaving, staying] = [readers.add('a'), readers.add('a')]
  readers.tell('a', '1')
  for await (const message of leaving) {
    expect(message).toBe('1')
    break
  }
  expect(readers.size).toBe(1)
  await leaving.return?.()
  expect(readers.size).toBe(1)
  readers.tell('a', '2')
  expect([await staying.next(), await staying.next()]).toMatchObject([{ value: '1' }, { value: '2' }])
})

test('topics without readers leave no data', async () => {
  const readers = createBroadcastReaders({ unreadAtMost: 10 })
  const before = queryObjects(Set, { format: 'count' })
  for (let topic = 0; topic < 1000; topic++) await readers.add(`topic ${topic}`).return?.()
  expect(queryObjects(Set, { format: 'count' }) - before).toBeLessThan(100)
  expect(readers.size).toBe(0)
})

test('the iteration of a reader that is too slow fails, and no other does', async () => {
  const broadcast = createMemoryBroadcast({ unreadAtMost: 2 })
  const [slow, quick] = [await broadcast.listen('a'), await broadcast.listen('a')]
  for (const id of ['1', '2', '3']) {
    await broadcast.publish('a', id)
    expect(await quick.next()).toEqual({ done: false, value: id })
  }
  await expect(slow.next()).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_UNAVAILABLE' })
})

test('close finishes all iterations, and a failure throws its error in them', async () => {
  const broadcast = createMemoryBroadcast()
  const messages = await broadcast.listen('a')
  await broadcast.close()
  expect(await messages.next()).toEqual({ done: true, value: undefined })

  const readers = createBroadcastReaders({ unreadAtMost: 10 })
  const reading = readers.add('a')
  const waiting = reading.next()
  readers.fail(lost)
  await expect(waiting).rejects.toBe(lost)
  expect(readers.size).toBe(0)
})

test('a message of more than 2000 bytes is refused', async () => {
  const broadcast = createMemoryBroadcast()
  const messages = await broadcast.listen('a')
  await expect(broadcast.publish('a', 'ä'.repeat(1001))).rejects.toThrow(TypeError)
  await broadcast.publish('a', 'ä'.repeat(1000))
  expect((await messages.next()).value).toHaveLength(1000)
})

test('concurrent calls of next are answered in their order, each with another message', async () => {
  const broadcast = createMemoryBroadcast()
  const messages = await broadcast.listen('a')
  const waiting = [messages.next(), messages.next(), messages.next()]
  for (const message of ['1', '2']) await broadcast.publish('a', message)
  expect(await Promise.all(waiting.slice(0, 2))).toMatchObject([{ value: '1' }, { value: '2' }])
  await messages.return?.()
  expect(await waiting[2]).toEqual({ done: true, value: undefined })
})

describe('the memory broadcast', () => {
  const broadcast = createMemoryBroadcast()
  describeBroadcast({ describe, test, createBroadcast: () => broadcast })
})

/** Clients of one carrier, with one mistake each, and the test of the kit that finds it. */
const mistakes: readonly (readonly [
  string,
  string,
  (sound: Broadcast, everything: Broadcast) => Partial<Broadcast>,
])[] = [
  [
    'a message comes to listeners of its own client only',
    'every listener of a topic receives its messages in order, over every client',
    () => createMemoryBroadcast(),
  ],
  [
    'a message comes after others that were published later',
    'every listener of a topic receives its messages in order, over every client',
    (sound) => {
      let held: readonly [string, string] | null = null
      return {
        async publish(topic, message) {
          const before = held
          held = [topic, message]
          if (message !== '1') await sound.publish(topic, message)
          if (before?.[1] === '1') await sound.publish(...before)
        },
      }
    },
  ],
  [
    'listen resolves before it listens',
    'a listener receives everything that is published from then on',
    (sound) => ({
      listen: async (topic) => {
        const reading = new Promise<AsyncIterableIterator<string>>((resolve) => {
          setTimeout(() => resolve(sound.listen(topic)), 20)
        })
        return {
          next: async () => (await reading).next(),
          return: async () => (await (await reading).return?.()) ?? { done: true, value: undefined },
          [Symbol.asyncIterator]: () => expect.fail('the kit calls next'),
        }
      },
    }),
  ],
  [
    'topics are folded to lower case, as a server folds names',
    'topics that look alike are kept apart',
    (sound) => ({
      publish: (topic, message) => sound.publish(topic.toLowerCase(), message),
      listen: (topic) => sound.listen(topic.toLowerCase()),
    }),
  ],
  [
    'a topic is cut at 63 bytes',
    'topics that look alike are kept apart',
    (sound) => ({
      publish: (topic, message) => sound.publish(topic.slice(0, 63), message),
      listen: (topic) => sound.listen(topic.slice(0, 63)),
    }),
  ],
  [
    'an empty message is none',
    'every character comes through, and 2,000 bytes',
    (sound) => ({ publish: async (topic, message) => (message ? sound.publish(topic, message) : undefined) }),
  ],
  [
    'a long message is cut',
    'a message of 2,001 bytes rejects with a TypeError, and none receives it',
    (sound) => ({ publish: (topic, message) => sound.publish(topic, message.slice(0, 1000)) }),
  ],
  [
    'a message comes twice',
    'parallel messages come to every listener once',
    (sound) => ({
      async publish(topic, message) {
        await sound.publish(topic, message)
        await sound.publish(topic, message)
      },
    }),
  ],
  [
    'what is not read in time is dropped',
    'a reader that is too slow has every message, or a StoreError before the first gap',
    (sound) => ({ listen: async (topic) => dropping(await sound.listen(topic)) }),
  ],
  [
    'the last listener who leaves takes the topic along',
    'a topic can be listened to again after its last listener has returned',
    (sound) => {
      const left = new Set<string>()
      return {
        async listen(topic) {
          const messages = await sound.listen(topic)
          if (left.has(topic)) await messages.return?.()
          const leave = async () => {
            left.add(topic)
            return (await messages.return?.()) ?? { done: true as const, value: undefined }
          }
          return { next: () => messages.next(), return: leave, [Symbol.asyncIterator]: () => messages }
        },
      }
    },
  ],
  [
    'a listener that returns is not woken',
    'a listener that returns receives nothing more, and the others of its topic do',
    (sound) => ({
      async listen(topic) {
        const messages = await sound.listen(topic)
        const leave = async () => ({ done: true as const, value: undefined })
        return { next: () => messages.next(), return: leave, [Symbol.asyncIterator]: () => messages }
      },
    }),
  ],
  [
    'close ends the iterations of every client',
    'close ends the iterations of its client, and of no other',
    (_sound, everything) => ({ close: () => everything.close() }),
  ],
]

/** Keeps ten messages and forgets the others. */
function dropping(messages: AsyncIterableIterator<string>): AsyncIterableIterator<string> {
  const kept: IteratorResult<string>[] = []
  const waiting: ((result: IteratorResult<string>) => void)[] = []
  const reading = (async () => {
    for (;;) {
      const result = await messages.next()
      const first = waiting.shift()
      if (first) first(result)
      else if (kept.length < 10) kept.push(result)
      if (result.done) break
    }
  })()
  return {
    next: async () => kept.shift() ?? new Promise((resolve) => waiting.push(resolve)),
    async return() {
      await messages.return?.()
      await reading
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => messages,
  }
}

/** A client of a carrier that closes its own listeners only. */
function clientOf(carrier: Broadcast): Broadcast {
  const opened: AsyncIterableIterator<string>[] = []
  return {
    publish: (topic, message) => carrier.publish(topic, message),
    async listen(topic) {
      const messages = await carrier.listen(topic)
      opened.push(messages)
      return messages
    },
    close: async () => void (await Promise.all(opened.map((messages) => messages.return?.()))),
  }
}

test('clients of one carrier pass the kit', async () => {
  const carrier = createMemoryBroadcast({ unreadAtMost: 500 })
  const kit = { createBroadcast: () => clientOf(carrier) }
  expect([...(await failuresOf(collectTests((runner) => describeBroadcast({ ...runner, ...kit }))))]).toEqual([])
})

test.concurrent.each(mistakes)(
  'the kit of broadcasts finds that %s',
  async (_mistake, fails, mistake) => {
    const carrier = createMemoryBroadcast({ unreadAtMost: 500 })
    const createBroadcast = () => {
      const sound = clientOf(carrier)
      return { ...sound, ...mistake(sound, carrier) }
    }
    const tests = collectTests((runner) => describeBroadcast({ ...runner, createBroadcast }))
    const found = await failuresOf(tests.filter(({ title }) => title === fails))
    expect([...found.keys()]).toEqual([fails])
  },
  60_000,
)
