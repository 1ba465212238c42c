import { randomUUID } from 'node:crypto'
import { createPostgresExecutor, createPostgresStores, type SqlStores } from '@latchkey/sql'
import { useService } from '@latchkey/test-services'
import pg from 'pg'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createPostgresDatabase } from './postgres-database.ts'

const server = useService('postgres')
const deadlineMs = 20_000
let url: string

beforeAll(async () => {
  url = await createPostgresDatabase(server)
  const stores = createPostgresStores({ pool: new pg.Pool({ connectionString: url }), deadlineMs })
  await stores.migrate()
  await stores.close()
})

function open(): SqlStores {
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  const stores = createPostgresStores({ pool, deadlineMs })
  onTestFinished(() => stores.close())
  return stores
}

/** Begins a transaction that holds what it has changed, and returns what commits it. */
async function begin(change: string, values: readonly unknown[]): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  expect((await client.query(change, [...values])).rowCount).toBe(1)
  return async () => void (await client.query('commit'))
}

/** Waits until a statement waits for a lock, or until what could wait has finished. */
async function untilLocked(finished: Promise<unknown>): Promise<void> {
  let isFinished = false
  void finished.finally(() => {
    isFinished = true
  })
  const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  await until(async (count) => isFinished || (await count(waiting, [])) > 0)
}

type Count = (query: string, values: readonly unknown[]) => Promise<number>

async function until(holds: (count: Count) => Promise<boolean>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const count: Count = async (query, values) => (await client.query(query, [...values])).rowCount ?? 0
  try {
    await vi.waitUntil(() => holds(count), { timeout: 10_000, interval: 5 })
  } finally {
    await client.end()
  }
}

const past = () => Date.now() - 60_000
const future = () => Date.now() + 3_600_000

async function insertOwned(count: number, expiresAt: number): Promise<{ owner: string; keys: readonly string[] }> {
  const { records } = open()
  const owner = `acc_${randomUUID()}`
  const keys = Array.from({ length: count }, () => `se_${randomUUID()}`)
  for (const key of keys) await records.insert({ key, owner, expiresAt: future(), value: '{}' })
  for (const key of keys) await records.touch({ key, owner }, expiresAt)
  return { owner, keys: keys.sort() }
}

const hold = 'update latchkey_records set value = value where key = $1'
const freeOf = 'select key from latchkey_records where owner = $1 for update skip locked'

test('the removal of all records of an owner locks them by their keys: two at once wait, and end in no deadlock', async () => {
  const { records } = open()
  const { owner, keys } = await insertOwned(30, future())
  const commit = await begin(hold, [keys[0]])
  const removed = records.removeByOwner(owner)
  await untilLocked(removed)
  await until(async (count) => (await count(freeOf, [owner])) === keys.length - 1)
  await commit()
  expect(await removed).toBe(keys.length)
})

test('the removal of all documents of an account locks them by their ids as well', async () => {
  const { documents } = open()
  const accountId = `acc_${randomUUID()}`
  const ids = Array.from({ length: 30 }, () => randomUUID())
  for (const id of ids)
    await documents.insert({ collection: 'oauth-grant', id, owner: accountId, version: 'first', value: '' })
  const commit = await begin('update latchkey_documents set value = value where id = $1', [ids.sort()[0]])
  const removed = documents.removeByOwner(accountId)
  await untilLocked(removed)
  const free = 'select id from latchkey_documents where owner = $1 for update skip locked'
  await until(async (count) => (await count(free, [accountId])) === ids.length - 1)
  await commit()
  expect(await removed).toBe(ids.length)
})

test.each(['erasePersonal', 'prune'] as const)('"%s" of an audit locks its rows by their numbers', async (method) => {
  const { audit } = open()
  const [accountId, chain] = [`acc_${randomUUID()}`, `chain_${randomUUID()}`]
  const numbers = Array.from({ length: 30 }, (_none, index) => 30 - index)
  for (const sequence of numbers) {
    const row = {
      chain,
      sequence,
      at: past(),
      entry: `${chain}_${sequence}`,
      state: 'done',
      kind: 'session.created',
    } as const
    await audit.append([{ ...row, accountId, value: '', personal: 'Ann' }])
  }
  const commit = await begin('update latchkey_audit set value = value where chain = $1 and sequence = 1', [chain])
  const changed = method === 'prune' ? audit.prune(chain, 31) : audit.erasePersonal(accountId)
  await untilLocked(changed)
  const free = 'select sequence from latchkey_audit where chain = $1 for update skip locked'
  await until(async (count) => (await count(free, [chain])) === numbers.length - 1)
  await commit()
  expect(await changed).toBe(numbers.length)
})

test('a sweep waits for no row that is being changed, and removes the others', async () => {
  const { records } = open()
  const { owner, keys } = await insertOwned(10, past())
  const commit = await begin(hold, [keys[3]])
  await records.sweep?.(1000)
  await until(async (count) => (await count('select 1 from latchkey_records where owner = $1', [owner])) === 1)
  await commit()
})

test('a record that is inserted over an expired one while it is swept lives', async () => {
  const { records } = open()
  const key = `se_${randomUUID()}`
  const first = await begin(
    'insert into latchkey_records (key, owner, version, expires_at, value) values ($1, null, 1, $2, $3)',
    [key, past(), 'first'],
  )
  await first()
  const commit = await begin('update latchkey_records set expires_at = $2, value = $3 where key = $1', [
    key,
    future(),
    'second',
  ])
  const swept = records.sweep?.(1000) ?? Promise.resolve(0)
  await untilLocked(swept)
  await commit()
  await swept
  expect(await records.get(key)).toMatchObject({ value: 'second' })
})

test('a window that opens again while closed ones are removed keeps its hits', async () => {
  const { counters } = open()
  const key = `count_${randomUUID()}`
  const first = await begin('insert into latchkey_counters (key, hits, reset_at) values ($1, 5, $2)', [key, past()])
  await first()
  const commit = await begin('update latchkey_counters set hits = 7, reset_at = $2 where key = $1', [key, future()])
  const hits = Promise.all(Array.from({ length: 60 }, () => counters.hit(`other_${randomUUID()}`, 60_000)))
  await untilLocked(hits)
  await commit()
  await hits
  expect(await counters.hit(key, 60_000)).toMatchObject({ count: 8 })
})

test('a statement that the server undid for a deadlock, or because it could not be ordered, is sent again', async () => {
  const pool = new pg.Pool({ connectionString: url, max: 8, options: '-c default_transaction_isolation=serializable' })
  const executor = createPostgresExecutor({ pool, deadlineMs })
  onTestFinished(() => executor.close())
  const key = `count_${randomUUID()}`
  await executor.query('insert into latchkey_counters (key, hits, reset_at) values ($1, 0, 0) returning key', [key])
  const raise = 'update latchkey_counters set hits = hits + 1 where key = $1 returning hits'
  await Promise.all(Array.from({ length: 40 }, () => executor.query(raise, [key])))
  expect(await executor.query('select hits from latchkey_counters where key = $1', [key])).toEqual([{ hits: '40' }])
})
