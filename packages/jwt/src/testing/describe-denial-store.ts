import { randomToken } from '@latchkey/bytes'
import { wallClock } from '@latchkey/core/internal'
import { describeOutages, type KitOutages, type OutageCalls } from '@latchkey/store/testing'
import type { DenialStore } from '../tokens/denial-store.ts'

/** What the kit needs to test a store. */
export interface DenialStoreKit extends KitOutages<DenialStore> {
  /** `describe` of vitest, `node:test` or Jest. */
  readonly describe: (name: string, body: () => void) => unknown
  /** `test` of the same. */
  readonly test: (name: string, body: () => Promise<void>) => unknown
  /** Creates one client of the backend under test. It is called twice, when the first test runs. */
  readonly createStore: () => DenialStore | Promise<DenialStore>
  /**
   * The clock of the stores under test, in epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
}

interface Bench {
  readonly store: DenialStore
  /** Another client of the same backend. */
  readonly other: DenialStore
  /** A time that does not come while the kit runs, and one that has passed. */
  readonly later: number
  readonly past: number
}

const callers = 20
/** More than a store may need to remove what has expired. */
const many = 120

/**
 * Describes the whole contract of `DenialStore` as tests of a runner: what is denied stays denied for its time, to every
 * client, and nothing else is. It draws fresh ids, so the backend need not be empty.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryDenialStore } from '@latchkey/jwt'
 * import { describeDenialStore } from '@latchkey/jwt/testing'
 * const store = createMemoryDenialStore()
 * describeDenialStore({ describe, test, createStore: () => store })
 */
export function describeDenialStore({
  describe,
  test,
  createStore,
  now = wallClock,
  ...outages
}: DenialStoreKit): void {
  let bench: Promise<Bench> | undefined
  const connect = async () => {
    const [store, other] = [await createStore(), await createStore()]
    return { store, other, later: now() + 3_600_000, past: now() - 1 }
  }
  const open = () => {
    bench ??= connect()
    return bench
  }
  describe('denial store', () => {
    describe('contract', () => {
      for (const [title, body] of Object.entries(denialTests)) test(title, async () => body(await open()))
    })
    const clients = async (): Promise<readonly [DenialStore, DenialStore]> => {
      const { store, other } = await open()
      return [store, other]
    }
    const probe = (client: DenialStore) => client.isAnyDenied([drawId()])
    const prepare = (store: DenialStore, other: DenialStore) => prepareOutages(store, other, now() + 3_600_000)
    describeOutages({ ...outages, describe, test, clients, prepare, probe })
  })
}

/** Every method while the backend fails. */
async function prepareOutages(
  store: DenialStore,
  other: DenialStore,
  later: number,
): Promise<OutageCalls<DenialStore>> {
  const [called, denied] = [drawId(), drawId()]
  return {
    callsOf: (client) => ({
      deny: () => client.deny(called, later),
      isAnyDenied: () => client.isAnyDenied([called]),
    }),
    changes: {
      deny: {
        call: () => store.deny(denied, later),
        checkUndone: async () =>
          holds(!(await other.isAnyDenied([denied])), 'the failed deny must not be executed later'),
      },
    },
    cleanUp: async () => {},
  }
}

const denialTests: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  'what is denied is denied to every client, and nothing else is': async ({ store, other, later }) => {
    const [id, neighbour] = [drawId(), drawId()]
    holds(!(await store.isAnyDenied([id])), 'a fresh id must not be denied')
    await store.deny(id, later)
    for (const client of [store, other]) {
      holds(await client.isAnyDenied([id]), 'the id must be denied to every client')
      holds(!(await client.isAnyDenied([neighbour])), 'another id must not be denied')
    }
  },

  'ids are told apart letter by letter': async ({ store, later }) => {
    const id = `${drawId()}aB`
    await store.deny(id, later)
    const twins = [id.toUpperCase(), id.toLowerCase(), id.slice(0, -1), `${id}x`, id.replace(':', '_')]
    for (const twin of twins) holds(!(await store.isAnyDenied([twin])), `${JSON.stringify(twin)} must not be denied`)
    holds(await store.isAnyDenied([id]), 'the id itself must be denied')
  },

  'one denied id of several is enough, at every place': async ({ store, other, later }) => {
    const [id, ...others] = [drawId(), drawId(), drawId()]
    await store.deny(id, later)
    for (const ids of [
      [id, ...others],
      [...others, id],
      [others[0] ?? '', id, id],
    ]) {
      holds(await other.isAnyDenied(ids), 'one of the ids is denied')
    }
    holds(!(await other.isAnyDenied(others)), 'none of the ids is denied')
    holds(!(await other.isAnyDenied([])), 'of no ids none is denied')
  },

  'ids may have 100 characters': async ({ store, other, later }) => {
    const id = drawId().padEnd(100, 'x')
    await store.deny(id, later)
    holds(await other.isAnyDenied([id]), 'the long id must be denied')
    holds(!(await other.isAnyDenied([`${id.slice(0, -1)}y`])), 'one that differs at its end must not be')
  },

  'of several times the latest counts, whatever their order': async ({ store, other, later, past }) => {
    const [shortened, extended] = [drawId(), drawId()]
    await store.deny(shortened, later)
    await other.deny(shortened, past)
    await store.deny(extended, past)
    await other.deny(extended, later)
    await denyMany(store, past)
    for (const id of [shortened, extended]) holds(await store.isAnyDenied([id]), 'the later time must count')
  },

  'what is denied stays so for its time, however many others come and go': async ({ store, other, later, past }) => {
    const id = drawId()
    await store.deny(id, later)
    await denyMany(other, past)
    await denyMany(store, later)
    for (const client of [store, other]) holds(await client.isAnyDenied([id]), 'the id must still be denied')
  },

  'of parallel denials of one id none fails, and the latest time counts': async ({ store, other, later, past }) => {
    const id = drawId()
    const deny = (index: number) => (index % 2 ? store : other).deny(id, index === 7 ? later : past)
    await Promise.all(Array.from({ length: callers }, (_none, index) => deny(index)))
    await denyMany(other, past)
    holds(await store.isAnyDenied([id]), 'the id must be denied')
  },
}

async function denyMany(store: DenialStore, until: number): Promise<void> {
  for (let count = 0; count < many; count += callers) {
    await Promise.all(Array.from({ length: callers }, () => store.deny(drawId(), until)))
  }
}

function drawId(): string {
  return `kit:${randomToken(16)}`
}

function holds(condition: boolean, rule: string): void {
  if (!condition) throw new Error(rule)
}
