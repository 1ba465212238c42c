import { type Broadcast, createMemoryBroadcast } from '@latchkey/store'
import { type CarelessStore, carelessMethods, carelessTexts } from '@latchkey/test-services'

const create = () => createMemoryBroadcast()
type Messages = Awaited<ReturnType<Broadcast['listen']>>

const reading = (next: (reader: Messages) => () => Promise<IteratorResult<string>>) => (sound: Broadcast) => ({
  async listen(topic: string): Promise<Messages> {
    const reader = await sound.listen(topic)
    const changed = { ...reader, next: next(reader), return: () => reader.return?.() as never }
    return Object.assign(changed, { [Symbol.asyncIterator]: () => changed }) as never
  },
})

export const carelessBroadcasts: readonly CarelessStore<Broadcast>[] = [
  ...carelessTexts('topic', create, [
    ['publish', 0],
    ['listen', 0],
  ]),
  ...carelessTexts('message', create, [['publish', 1]]),
  ...carelessMethods<Broadcast>(create, {
    'publish does nothing': () => ({ publish: async () => {} }),
    'publish is sent twice': (sound) => ({
      async publish(...given) {
        await sound.publish(...given)
        await sound.publish(...given)
      },
    }),
    'publish has no order': (sound) => {
      let sent = 0
      return {
        publish: async (...given) => void setTimeout(() => sound.publish(...given), sent++ % 2 === 0 ? 20 : 1),
      }
    },
    'publish drops one message in three': (sound) => {
      let sent = 0
      return { publish: async (...given) => (++sent % 3 === 0 ? undefined : sound.publish(...given)) }
    },
    'publish cuts a long message': (sound) => ({
      publish: (topic, message) => sound.publish(topic, message.slice(0, 1000)),
    }),
    'an empty message is not sent': (sound) => ({
      publish: async (topic, message) => (message === '' ? undefined : sound.publish(topic, message)),
    }),
    'listen begins later': (sound) => ({
      async listen(topic) {
        const late = new Promise((resolve) => setTimeout(resolve, 20)).then(() => sound.listen(topic))
        const reader = { next: async () => (await late).next(), return: async () => (await late).return?.() }
        return Object.assign(reader, { [Symbol.asyncIterator]: () => reader }) as never
      },
    }),
    'a listener goes on after return': (sound) => ({
      async listen(topic) {
        const reader = await sound.listen(topic)
        const changed = { next: () => reader.next(), return: async () => ({ done: true }) }
        return Object.assign(changed, { [Symbol.asyncIterator]: () => changed }) as never
      },
    }),
    'a listener ends after a message': reading((reader) => {
      let read = 0
      return () => (read++ > 0 ? Promise.resolve({ done: true, value: undefined }) : reader.next())
    }),
    'listeners of a client share their messages': (sound) => {
      const readers = new Map<string, Promise<Messages>>()
      return {
        async listen(topic) {
          const reader = readers.get(topic) ?? sound.listen(topic)
          readers.set(topic, reader)
          return reader
        },
      }
    },
    'listens to every topic': (sound) => ({
      publish: (_topic, message) => sound.publish('all', message),
      listen: () => sound.listen('all'),
    }),
  }),
]
