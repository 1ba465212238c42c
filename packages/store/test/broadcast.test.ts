import { queryObjects } from 'node:v8'
import { createBroadcastReaders, createMemoryBroadcast, StoreError } from '@latchkey/store'
import { expect, test } from 'vitest'

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

test('a waiting reader is woken, and one that has returned receives nothing more', async () => {
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

test('nothing is kept of topics without readers', async () => {
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

test('close ends all iterations, and a failure ends them with its error', async () => {
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

test('several calls of next at once are answered in their order, each with a message of its own', async () => {
  const broadcast = createMemoryBroadcast()
  const messages = await broadcast.listen('a')
  const waiting = [messages.next(), messages.next(), messages.next()]
  for (const message of ['1', '2']) await broadcast.publish('a', message)
  expect(await Promise.all(waiting.slice(0, 2))).toMatchObject([{ value: '1' }, { value: '2' }])
  await messages.return?.()
  expect(await waiting[2]).toEqual({ done: true, value: undefined })
})
