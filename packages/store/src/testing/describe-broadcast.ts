import { randomToken } from '@latchkey/bytes'
import { pause } from '@latchkey/core/internal'
import type { Broadcast } from '../broadcast.ts'
import { isStoreError } from '../errors.ts'
import { anyText } from './any-text.ts'
import { holds, same } from './assertions.ts'
import { confusablePairs } from './confusable-pairs.ts'
import { describeOutages } from './describe-outages.ts'
import { reportingRunner } from './kit-report.ts'
import type { StoreKit } from './store-kit.ts'
import {
  type KitPart,
  namingFailures,
  pairOnce,
  runnableParts,
  runnerOf,
  runTables,
  type TestRunner,
  type TestTable,
} from './test-runner.ts'

interface BroadcastBench {
  readonly one: Broadcast
  /** The first client, without the kit's description of its errors. */
  readonly raw: Broadcast
  readonly other: Broadcast
  readonly topic: string
  readonly create: () => Broadcast | Promise<Broadcast>
  readonly skip: TestRunner['skip']
  readonly disconnect: () => void | Promise<void>
}

/** A message that has not come by then does not come. */
const patienceMs = 10_000
/** More than any reader keeps. */
const manyMessages = 2000

/**
 * Describes the whole contract of `Broadcast` as tests of a runner: every listener of a topic receives all later
 * messages, in order, and a missed message is always an error.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryBroadcast } from '@latchkey/store'
 * import { describeBroadcast } from '@latchkey/store/testing'
 * const broadcast = createMemoryBroadcast()
 * describeBroadcast({ describe, test, createBroadcast: () => broadcast })
 */
export function describeBroadcast(
  kit: Omit<StoreKit<Broadcast>, 'createStore' | 'createStoreElsewhere' | 'now' | 'wait' | 'freezes'> & {
    /**
     * Creates a client of the backend under test. It is called twice when the first test runs, and once for a client to
     * close: a factory that returns the same client each time leaves out the test of `close`.
     */
    readonly createBroadcast: () => Broadcast | Promise<Broadcast>
    /**
     * Cuts the connections of all clients, as a restart of the server does. Omitted: the tests of a lost connection are
     * skipped.
     */
    readonly disconnect?: () => void | Promise<void>
  },
): void {
  const { runner, addReport } = reportingRunner('broadcast', runnerOf(kit), kit)
  const { createBroadcast: create, disconnect = () => {} } = kit
  const connect = pairOnce(create)
  const openBench = async (): Promise<BroadcastBench> => {
    const [raw, second] = await connect()
    const [one, other] = [namingFailures(raw), namingFailures(second)]
    return { one, raw, other, topic: `kit_${randomToken(16)}`, create, skip: runner.skip, disconnect }
  }
  const parts: readonly KitPart<TestTable<BroadcastBench>>[] = [
    ['lost connections', broadcastLosses, kit.disconnect !== undefined, '"disconnect"'],
  ]
  runner.describe('broadcast', () => {
    const given = runnableParts('broadcast', runner, parts)
    runTables(runner, { delivery: broadcastDelivery, ends: broadcastEnds, ...given }, openBench)
    describeOutages<Broadcast>({
      ...kit,
      ...runner,
      clients: connect,
      probe: (client) => client.publish('kit_probe', 'probe'),
      prepare: async () => ({
        callsOf: (client) => ({
          publish: () => client.publish('kit_outage', 'message'),
          listen: () => client.listen('kit_outage'),
        }),
        changes: {},
      }),
    })
    addReport()
  })
}

const broadcastDelivery: TestTable<BroadcastBench> = {
  'every listener of a topic receives its messages in order, over every client': async ({ one, other, topic }) => {
    const readers = [await one.listen(topic), await one.listen(topic), await other.listen(topic)]
    for (const message of ['1', '2', '3']) await other.publish(topic, message)
    for (const reader of readers) same(await takeMany(reader, 3), ['1', '2', '3'], 'the messages of a listener')
    await endAll(readers)
  },

  'a listener receives everything that is published from then on': async ({ one, other, topic }) => {
    for (let round = 0; round < 10; round++) {
      const before = await one.listen(topic)
      await one.publish(topic, `before ${round}`)
      same(await take(before), `before ${round}`, 'the message that came before')
      const reader = await other.listen(topic)
      await one.publish(topic, `after ${round}`)
      const first = await take(reader)
      // What was published before may still be on its way.
      const next = first === `before ${round}` ? await take(reader) : first
      same(next, `after ${round}`, 'the first message that was published from then on')
      await endAll([before, reader])
    }
  },

  'topics that look alike are kept apart': async ({ one, other }) => {
    for (const [what, topic, twin] of confusablePairs()) {
      const readers = [await one.listen(topic), await other.listen(twin)]
      await other.publish(twin, 'twin')
      await one.publish(topic, 'first')
      same(await Promise.all(readers.map(take)), ['first', 'twin'], `the messages of two topics with ${what}`)
      await endAll(readers)
    }
  },

  'every character comes through, and 2,000 bytes': async ({ one, other, topic }) => {
    const reader = await other.listen(topic)
    for (const message of ['', ' ', anyText, '\u00e4'.repeat(1000)]) {
      await one.publish(topic, message)
      same(await take(reader), message, 'the message')
    }
    await endAll([reader])
  },

  'a NUL in a topic or a message comes through or is rejected, and cuts none': async ({ raw, other, topic }) => {
    for (const [name, message] of [
      [topic, 'before\0after'],
      [`${topic}\0after`, 'message'],
    ] as const) {
      const readers = [await other.listen(topic), await other.listen(name).catch(() => null)]
      const isSent = await raw.publish(name, message).then(
        () => true,
        () => false,
      )
      await raw.publish(topic, 'next')
      const expected = isSent && name === topic ? message : 'next'
      const [reader, named] = readers
      if (reader) same(await take(reader), expected, 'the message of the topic')
      if (named && isSent) same(await take(named), message, 'the message with NUL, or in a topic with NUL')
      await endAll(readers.filter((one) => one !== null && one !== undefined))
    }
  },

  'a message of 2,001 bytes rejects with a TypeError, and none receives it': async ({ raw, other, topic }) => {
    const reader = await other.listen(topic)
    const outcome = await raw.publish(topic, `${'\u00e4'.repeat(1000)}x`).catch((error: unknown) => error)
    holds(outcome instanceof TypeError, 'publish of 2,001 bytes must reject with a TypeError')
    await raw.publish(topic, 'next')
    same(await take(reader), 'next', 'the message after it')
    await endAll([reader])
  },

  'several calls of next at once have a message each, in their order': async ({ one, other, topic }) => {
    const reader = await one.listen(topic)
    const waiting = [take(reader), take(reader), take(reader)]
    for (const message of ['1', '2', '3']) await other.publish(topic, message)
    same(await Promise.all(waiting), ['1', '2', '3'], 'the messages')
    await endAll([reader])
  },

  'parallel messages come to every listener once': async ({ one, other, topic }) => {
    const readers = [await one.listen(topic), await other.listen(topic)]
    const messages = Array.from({ length: 40 }, (_none, index) => `${index}`)
    await Promise.all(messages.map((message, index) => (index % 2 ? one : other).publish(topic, message)))
    await one.publish(topic, 'last')
    for (const reader of readers) {
      same((await takeMany(reader, 40)).sort(), messages.toSorted(), 'the messages')
      same(await take(reader), 'last', 'the message after them')
    }
    await endAll(readers)
  },

  'a reader that is too slow has every message, or a StoreError before the first gap': async ({
    one,
    other,
    topic,
  }) => {
    const [slow, quick] = [await one.listen(topic), await other.listen(topic)]
    for (let sent = 0; sent < manyMessages; sent++) {
      await other.publish(topic, `${sent}`)
      same(await take(quick), `${sent}`, 'the message of a listener that reads at once')
    }
    for (let read = 0; read < manyMessages; read++) {
      const message = await take(slow).catch((error: unknown) => error)
      if (isStoreError(message)) break
      same(message, `${read}`, 'the next message of a slow listener')
    }
    await endAll([slow, quick])
  },
}

const broadcastEnds: TestTable<BroadcastBench> = {
  'a listener that returns receives nothing more, and the others of its topic do': async ({ one, other, topic }) => {
    const [leaving, staying] = [await one.listen(topic), await one.listen(topic)]
    const waiting = leaving.next()
    await leaving.return?.()
    same((await within(waiting)).done, true, 'whether a waiting next is done')
    await other.publish(topic, 'later')
    same((await within(leaving.next())).done, true, 'whether next after return is done')
    same(await take(staying), 'later', 'the message of the other listener')
    await endAll([staying])
  },

  'a topic can be listened to again after its last listener has returned': async ({ one, other, topic }) => {
    for (const message of ['1', '2', '3']) {
      const reader = await one.listen(topic)
      await other.publish(topic, message)
      same(await take(reader), message, 'the message')
      await endAll([reader])
    }
  },

  'close ends the iterations of its client, and of no other': async ({ one, other, topic, create, raw, skip }) => {
    const closing = await create()
    if (closing === raw) {
      skip?.('close ends the iterations of its client, and of no other', 'another client from each "createBroadcast"')
      return
    }
    const [ended, staying] = [await closing.listen(topic), await one.listen(topic)]
    const waiting = ended.next()
    await closing.close()
    same((await within(waiting)).done, true, 'whether a waiting next is done')
    await other.publish(topic, 'later')
    same(await take(staying), 'later', 'the message of another client')
    await endAll([staying])
  },
}

/** Tests that need `disconnect`. */
const broadcastLosses: TestTable<BroadcastBench> = {
  'a lost connection ends the iterations with a StoreError, and listening is possible again': async (bench) => {
    const { raw, one, other, topic, disconnect } = bench
    const reader = await raw.listen(topic)
    const waiting = within(reader.next()).catch((error: unknown) => error)
    await disconnect()
    const outcome = await waiting
    holds(isStoreError(outcome), `next must reject with a StoreError, because messages may have been missed`)
    same((outcome as { code?: unknown }).code, 'STORE_UNAVAILABLE', 'the code of the error')
    const again = await tryAgain(() => one.listen(topic))
    await tryAgain(() => other.publish(topic, 'after'))
    same(await take(again), 'after', 'the message after the connection was lost')
    await endAll([again])
  },
}

type Messages = AsyncIterableIterator<string>

async function within<Result>(call: Promise<Result>): Promise<Result> {
  const late = pause(patienceMs).then(() => {
    throw new Error(`next must resolve: no message came within ${patienceMs} ms`)
  })
  return Promise.race([call, late])
}

async function take(reader: Messages): Promise<string> {
  const { done, value } = await within(reader.next())
  holds(!done, 'an iteration must not end by itself')
  return value
}

async function takeMany(reader: Messages, count: number): Promise<string[]> {
  const messages: string[] = []
  while (messages.length < count) messages.push(await take(reader))
  return messages
}

async function endAll(readers: readonly Messages[]): Promise<void> {
  await Promise.all(readers.map((reader) => reader.return?.()))
}

async function tryAgain<Result>(call: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      if (attempt === 100) throw error
      await pause(50)
    }
  }
}
