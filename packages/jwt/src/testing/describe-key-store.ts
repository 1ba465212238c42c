import { randomToken } from '@latchkey/bytes'
import { describeOutages, type KitOutages, type OutageCalls } from '@latchkey/store/testing'
import type { KeyStore, StoredKey } from '../keys/key-store.ts'

/** What the kit needs to test a store. */
export interface KeyStoreKit extends KitOutages<KeyStore> {
  /** `describe` of vitest, `node:test` or Jest. */
  readonly describe: (name: string, body: () => void) => unknown
  /** `test` of the same. */
  readonly test: (name: string, body: () => Promise<void>) => unknown
  /** Creates one client of the backend under test. It is called twice, when the first test runs. */
  readonly createStore: () => KeyStore | Promise<KeyStore>
}

interface Bench {
  readonly store: KeyStore
  /** Another client of the same backend. */
  readonly other: KeyStore
}

const callers = 20

/**
 * Describes the whole contract of `KeyStore` as tests of a runner: inserts that never overwrite, and retirements and
 * removals that have one winner. It draws fresh ids and removes its keys, so the backend need not be empty.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryKeyStore } from '@latchkey/jwt'
 * import { describeKeyStore } from '@latchkey/jwt/testing'
 * const store = createMemoryKeyStore()
 * describeKeyStore({ describe, test, createStore: () => store })
 */
export function describeKeyStore({ describe, test, createStore, ...outages }: KeyStoreKit): void {
  let bench: Promise<Bench> | undefined
  const connect = async () => ({ store: await createStore(), other: await createStore() })
  const open = () => {
    bench ??= connect()
    return bench
  }
  describe('key store', () => {
    describe('contract', () => {
      for (const [title, body] of Object.entries(keyTests)) test(title, async () => body(await open()))
    })
    const clients = async (): Promise<readonly [KeyStore, KeyStore]> => {
      const { store, other } = await open()
      return [store, other]
    }
    const probe = (client: KeyStore) => client.list()
    describeOutages({ ...outages, describe, test, clients, prepare: prepareOutages, probe })
  })
}

/** Every method while the backend fails. */
async function prepareOutages(store: KeyStore, other: KeyStore): Promise<OutageCalls<KeyStore>> {
  const [called, retired, removed, inserted] = [drawKey(), drawKey(), drawKey(), drawKey()]
  for (const key of [called, retired, removed]) await store.insert(key)
  const left =
    (key: StoredKey, what: string, expected: StoredKey | null = key) =>
    async () =>
      same(await find(other, key.id), expected, `the key of the failed ${what}`)
  return {
    callsOf: (client) => ({
      insert: () => client.insert(drawKey()),
      list: () => client.list(),
      retire: () => client.retire(called.id, called.createdAt + 1),
      remove: () => client.remove(called.id),
    }),
    changes: {
      insert: { call: () => store.insert(inserted), checkUndone: left(inserted, 'insert', null) },
      retire: { call: () => store.retire(retired.id, retired.createdAt + 1), checkUndone: left(retired, 'retire') },
      remove: { call: () => store.remove(removed.id), checkUndone: left(removed, 'remove') },
    },
    cleanUp: async () => {
      for (const key of [called, retired, removed]) await store.remove(key.id)
    },
  }
}

const keyTests: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  'an inserted key is listed to every client as it was given': async ({ store, other }) => {
    const key = drawKey({ createdAt: 1_795_347_955_431, sealed: `${'x'.repeat(8000)}é` })
    const retired = drawKey({ retiredAt: 1_795_347_955_432 })
    for (const one of [key, retired]) holds(await store.insert(one), 'insert of a fresh id must be true')
    same(await find(store, key.id), key, 'the key, to the client that inserted it')
    same(await find(other, key.id), key, 'the key, to another client')
    same(await find(other, retired.id), retired, 'the retired key')
    for (const one of [key, retired]) await store.remove(one.id)
  },

  'insert of an id that exists changes nothing': async ({ store, other }) => {
    const key = drawKey()
    await store.insert(key)
    holds(!(await other.insert({ ...key, sealed: 'second', purpose: 'other' })), 'the second insert must be false')
    same(await find(store, key.id), key, 'the key')
    await store.remove(key.id)
  },

  'keys of all purposes are listed': async ({ store, other }) => {
    const keys = [drawKey({ purpose: 'access' }), drawKey({ purpose: 'Access' }), drawKey({ purpose: 'id token' })]
    for (const key of keys) await store.insert(key)
    for (const key of keys) same(await find(other, key.id), key, `the key for "${key.purpose}"`)
    for (const key of keys) await store.remove(key.id)
  },

  'retire sets the time once and nothing else': async ({ store, other }) => {
    const key = drawKey()
    await store.insert(key)
    holds(await other.retire(key.id, key.createdAt + 1), 'the first retire must be true')
    holds(!(await store.retire(key.id, key.createdAt + 2)), 'the second retire must be false')
    same(await find(other, key.id), { ...key, retiredAt: key.createdAt + 1 }, 'the retired key')
    holds(!(await store.retire(drawKey().id, 1)), 'retire of an unknown id must be false')
    await store.remove(key.id)
  },

  'remove is true once, and only its own key goes': async ({ store, other }) => {
    const [key, neighbour] = [drawKey(), drawKey()]
    for (const one of [key, neighbour]) await store.insert(one)
    holds(await other.remove(key.id), 'the first remove must be true')
    holds(!(await store.remove(key.id)), 'the second remove must be false')
    same(await find(store, key.id), null, 'the removed key')
    same(await find(store, neighbour.id), neighbour, 'another key')
    await store.remove(neighbour.id)
  },

  'of parallel inserts of one id exactly one wins': async ({ store, other }) => {
    const key = drawKey()
    const insert = (index: number) => pick(store, other, index).insert({ ...key, sealed: `caller ${index}` })
    const outcomes = await Promise.all(Array.from({ length: callers }, (_none, index) => insert(index)))
    oneWins(outcomes)
    same((await find(store, key.id))?.sealed, `caller ${outcomes.indexOf(true)}`, 'the key, which is the winner’s')
    await store.remove(key.id)
  },

  'of parallel retirements exactly one wins, and its time stays': async ({ store, other }) => {
    const key = drawKey()
    await store.insert(key)
    const retire = (index: number) => pick(store, other, index).retire(key.id, key.createdAt + index)
    const outcomes = await Promise.all(Array.from({ length: callers }, (_none, index) => retire(index)))
    oneWins(outcomes)
    same((await find(other, key.id))?.retiredAt, key.createdAt + outcomes.indexOf(true), 'the time of the winner')
    await store.remove(key.id)
  },

  'of parallel removes exactly one wins': async ({ store, other }) => {
    const key = drawKey()
    await store.insert(key)
    oneWins(
      await Promise.all(Array.from({ length: callers }, (_none, index) => pick(store, other, index).remove(key.id))),
    )
    same(await find(store, key.id), null, 'the removed key')
  },
}

function drawKey(change: Partial<StoredKey> = {}): StoredKey {
  const id = `kit_${randomToken(16)}`
  return {
    id,
    purpose: 'kit',
    algorithm: 'ES256',
    sealed: 'sealed',
    createdAt: 1_795_347_955_000,
    retiredAt: null,
    ...change,
  }
}

function pick(store: KeyStore, other: KeyStore, index: number): KeyStore {
  return index % 2 ? other : store
}

async function find(store: KeyStore, id: string): Promise<StoredKey | null> {
  const found = (await store.list()).filter((key) => key.id === id)
  holds(found.length <= 1, 'a key must be listed once')
  return found[0] ?? null
}

function holds(condition: boolean, rule: string): void {
  if (!condition) throw new Error(rule)
}

function oneWins(outcomes: readonly boolean[]): void {
  const winners = outcomes.filter(Boolean).length
  holds(winners === 1, `of ${outcomes.length} callers exactly one must win, not ${winners}`)
}

/** Throws unless both are the same key, member by member, or the same plain value. */
function same(actual: unknown, expected: unknown, rule: string): void {
  const [left, right] = [describeKey(actual), describeKey(expected)]
  holds(left === right, `${rule}: expected ${right}, got ${left}`)
}

function describeKey(value: unknown): string {
  const members = typeof value === 'object' && value !== null ? Object.entries(value).sort() : value
  return JSON.stringify(members) ?? 'undefined'
}
