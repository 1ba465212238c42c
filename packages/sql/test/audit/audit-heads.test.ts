import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores } from '@latchkey/sql'
import { expect, onTestFinished, test } from 'vitest'
import { newDatabaseFile } from '../database-file.ts'

async function openStores() {
  const file = newDatabaseFile()
  const stores = createSqliteStores({ database: () => new DatabaseSync(file) })
  const database = new DatabaseSync(file)
  onTestFinished(() => {
    database.close()
    return stores.close()
  })
  await stores.migrate()
  const row = { at: 1, entry: 'en', state: 'done', kind: 'a.b', accountId: null, personal: null } as const
  const append = (chain: string, sequences: readonly number[]) =>
    stores.audit.append(sequences.map((sequence) => ({ ...row, chain, sequence, value: `value ${sequence}` })))
  return { ...stores, database, append }
}

test('the head of a chain stays when its last rows, or all of them, are removed by others', async () => {
  const { audit, append, database } = await openStores()
  await append('a', [1, 2, 3])
  await append('b', [1])
  database.exec("delete from latchkey_audit where chain = 'a' and sequence > 1")
  const [a, b] = [
    { chain: 'a', first: 1, last: 1, head: { chain: 'a', sequence: 3, value: 'value 3' } },
    { chain: 'b', first: 1, last: 1, head: { chain: 'b', sequence: 1, value: 'value 1' } },
  ]
  expect(await audit.listChains({ after: null, limit: 10 })).toEqual([a, b])
  database.exec('delete from latchkey_audit')
  const gone = { first: null, last: null }
  expect(await audit.listChains({ after: null, limit: 10 })).toEqual([
    { ...a, ...gone },
    { ...b, ...gone },
  ])
})

test('a chain whose head was removed is listed without one', async () => {
  const { audit, append, database } = await openStores()
  await append('a', [1, 2])
  database.exec('delete from latchkey_audit_heads')
  expect(await audit.listChains({ after: null, limit: 10 })).toEqual([{ chain: 'a', first: 1, last: 2, head: null }])
})

test('several chains without a head are each listed once, on pages of at most the limit', async () => {
  const { audit, append, database } = await openStores()
  for (const chain of ['a', 'b', 'c']) await append(chain, [1, 2])
  const listed = async (limit: number, after: string | null = null): Promise<readonly string[]> =>
    (await audit.listChains({ after, limit })).map(({ chain, head }) => `${chain}${head ? ' with a head' : ''}`)
  database.exec("delete from latchkey_audit_heads where chain = 'a'")
  expect(await listed(1)).toEqual(['a'])
  expect(await listed(2)).toEqual(['a', 'b with a head'])
  database.exec('delete from latchkey_audit_heads')
  expect(await listed(10)).toEqual(['a', 'b', 'c'])
  expect(await listed(10, 'a')).toEqual(['b', 'c'])
})

test('chains are listed by the index, however many rows they have', async () => {
  const { audit, append, database } = await openStores()
  await append('a', [1, 2])
  expect(await audit.listChains({ after: null, limit: 10 })).toHaveLength(1)
  const plan = database
    .prepare('explain query plan select min(chain) from latchkey_audit where chain > ?')
    .all('a')
    .map(({ detail }) => String(detail))
  expect(plan.join()).toMatch(/SEARCH latchkey_audit USING .*INDEX/)
})

test('a cursor that no page has had is a TypeError of the caller', async () => {
  const { audit } = await openStores()
  for (const cursor of ['', '1', 'a b c', '1 2', '-1 2 a', `${'9'.repeat(17)} 1 a`, `1 ${'9'.repeat(17)} a`]) {
    await expect(audit.list({ cursor })).rejects.toThrow(new TypeError('"cursor" must be that of a page'))
  }
})
