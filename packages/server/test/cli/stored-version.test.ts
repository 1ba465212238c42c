import { type DocumentStore, StoreError } from '@latchkey/store'
import { storedVersion } from '@latchkey/store/internal'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type BenchOptions, createBench, createMemoryStores } from '../support/bench.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const setting = { collection: 'settings', id: 'stored-version' } as const
let written = 0

async function store(documents: DocumentStore, value: string): Promise<void> {
  await documents.remove(setting)
  await documents.insert({ ...setting, owner: null, version: `w${++written}`, value })
}
const storedIn = async (documents: DocumentStore) => (await documents.get(setting.collection, setting.id))?.value

/** The versions of the stored signing keys: a rotation writes the one that it retires, and a new one. */
async function versionsOfKeys(documents: DocumentStore): Promise<readonly number[]> {
  const { items } = await documents.list('signing-key')
  return items.map(({ value }) => JSON.parse(value).v ?? 0).sort()
}

test('new stores get the version of this release, in a value that every release reads', async () => {
  const { server, stores } = createBench()
  await server.open()
  expect(await storedIn(stores.documents)).toBe(`{"version":${storedVersion}}`)
})

test('many processes that open new stores at the same time store the version once', async () => {
  const bench = createBench()
  const others = Array.from({ length: 5 }, () => createBench({ beside: bench }))
  await Promise.all([bench, ...others].map(({ server }) => server.open()))
  expect((await bench.stores.documents.list('settings')).items).toHaveLength(1)
})

test('values are written in the previous version until it is raised, then in the new version within a minute', async () => {
  const stores = createMemoryStores(() => 1_800_000_000_000)
  await store(stores.documents, `{"version":${storedVersion - 1},"since":7}`)
  const { server } = createBench({ options: { stores } })
  await server.open()
  const old = storedVersion - 1
  expect(await versionsOfKeys(stores.documents)).toEqual([old, old])
  expect(await storedIn(stores.documents)).toBe(`{"version":${old},"since":7}`)
  await store(stores.documents, `{"version":${storedVersion}}`)
  await vi.advanceTimersByTimeAsync(60_000)
  await server.rotateKeys()
  expect(await versionsOfKeys(stores.documents)).toEqual([old, storedVersion, storedVersion])
})

test('roles are written in the version of the release before until it is raised', async () => {
  const stores = createMemoryStores(() => 1_800_000_000_000)
  await store(stores.documents, `{"version":${storedVersion - 1}}`)
  const typeDefs =
    'type Query { hello: String @public } type Mutation { add: Boolean @public, remove: Boolean @public }'
  const resolvers: NonNullable<BenchOptions['options']>['resolvers'] = {
    Mutation: {
      async add(_source, _args, { roles }) {
        await roles?.set('EDITOR', { permissions: ['notes:write'] })
        return null
      },
      remove: (_source, _args, { roles }) => roles?.remove('EDITOR'),
    },
  }
  const bench = createBench({ options: { stores, typeDefs, resolvers, accounts: { changingRoles: {} } } })
  const versionOf = async () => JSON.parse((await stores.documents.get('roles', 'current'))?.value ?? '{}').v
  await bench.visitor().ask('mutation { add }')
  expect(await versionOf()).toBe(storedVersion - 1)
  await store(stores.documents, `{"version":${storedVersion}}`)
  await vi.advanceTimersByTimeAsync(60_000)
  await bench.visitor().ask('mutation { remove }')
  expect(await versionOf()).toBe(storedVersion)
})

test('a process keeps its version if it cannot be read while the service is open', async () => {
  const stores = createMemoryStores(() => 1_800_000_000_000)
  await store(stores.documents, `{"version":${storedVersion - 1}}`)
  const { server } = createBench({ options: { stores } })
  await server.open()
  await store(stores.documents, '{')
  await vi.advanceTimersByTimeAsync(60_000)
  await server.rotateKeys()
  expect(await versionsOfKeys(stores.documents)).toEqual(Array(3).fill(storedVersion - 1))
})

test.each(['{', '{"version":"2"}', '{"version":-1}', '[]'])(
  'a service does not open with the version %s, and writes no version',
  async (value) => {
    const { server, stores } = createBench()
    await store(stores.documents, value)
    await expect(server.open()).rejects.toMatchObject({ code: 'STORE_DATA_INVALID' })
    expect(await storedIn(stores.documents)).toBe(value)
    expect(await versionsOfKeys(stores.documents)).toEqual([])
  },
)

test('a service does not open while the version cannot be read', async () => {
  const stores = createMemoryStores()
  const down = new StoreError('STORE_UNAVAILABLE', 'down')
  const documents: DocumentStore = { ...stores.documents, get: () => Promise.reject(down) }
  const { server } = createBench({ options: { stores: { ...stores, documents } } })
  await expect(server.open()).rejects.toBe(down)
  expect(await versionsOfKeys(stores.documents)).toEqual([])
})
