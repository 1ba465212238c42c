import type { AuditQuery, AuditStore, StoredAuditRow } from '../../audit-store.ts'
import { holds, same } from '../assertions.ts'
import type { TestTable } from '../test-runner.ts'
import { type DurableBench, type DurableKit, describeDurable, fresh, race, winnerOf } from './kit-bench.ts'

/** What the kit needs: a runner, and two clients of one backend. */
export interface AuditStoreKit extends DurableKit<AuditStore> {}

/**
 * Describes the whole contract of `AuditStore` as tests of a runner: rows are added all or none, never overwritten, listed
 * completely, and erased or pruned only where asked.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryAuditStore } from '@latchkey/store'
 * import { describeAuditStore } from '@latchkey/store/testing'
 * const store = createMemoryAuditStore()
 * describeAuditStore({ describe, test, createStore: () => store })
 */
export function describeAuditStore(kit: AuditStoreKit): void {
  describeDurable('audit store', kit, { contract: auditContract, listing: auditListing })
}

const at = 1_790_000_000_000

function newRow(fields: Partial<StoredAuditRow> = {}): StoredAuditRow {
  return {
    chain: fresh('chain'),
    sequence: 1,
    at,
    entry: fresh('entry'),
    state: 'done',
    kind: 'password.changed',
    accountId: fresh('acc'),
    value: 'value',
    personal: 'personal',
    ...fields,
  }
}

function newChain(length: number, fields: Partial<StoredAuditRow> = {}): readonly StoredAuditRow[] {
  const chain = fresh('chain')
  const accountId = fresh('acc')
  return Array.from({ length }, (_none, index) =>
    newRow({ chain, accountId, sequence: index + 1, at: at + index, ...fields }),
  )
}

const whole = { after: 0, limit: 1000 }

const auditContract: TestTable<DurableBench<AuditStore>> = {
  'rows are read by every client, in the order of their chain': async ({ store, other }) => {
    const rows = newChain(5)
    const [first, second, ...rest] = rows as readonly [StoredAuditRow, StoredAuditRow, ...StoredAuditRow[]]
    same(await store.append([first]), true, 'append of one row')
    same(await other.append([second, ...rest]), true, 'append of four rows')
    same(await other.readChain(first.chain, whole), rows, 'the chain')
    same(await store.readChain(first.chain, { after: 2, limit: 2 }), rows.slice(2, 4), 'a part of the chain')
    same(await store.append([]), true, 'append of no rows')
  },

  'a row without account and personal data is kept as it is': async ({ store, other }) => {
    const row = newRow({ accountId: null, personal: null, state: 'checkpoint', value: '"é😀\\' })
    await store.append([row])
    same(await other.readChain(row.chain, whole), [row], 'the row')
  },

  'append never overwrites, and adds all rows or none': async ({ store, other }) => {
    const rows = newChain(3)
    const [first, second, third] = rows as readonly [StoredAuditRow, StoredAuditRow, StoredAuditRow]
    await store.append([second])
    same(await other.append([first, { ...second, value: 'other' }, third]), false, 'append over a row that exists')
    same(await other.readChain(first.chain, whole), [second], 'the chain')
    const [row] = newChain(1) as readonly [StoredAuditRow]
    same(await store.append([row, { ...row, value: 'other' }]), false, 'append of two rows of one place')
    same(await other.readChain(row.chain, whole), [], 'the other chain')
  },

  'of parallel appends to one place exactly one wins': async (bench) => {
    const [row] = newChain(1) as readonly [StoredAuditRow]
    const winner = winnerOf(await race(bench, (client, index) => client.append([{ ...row, value: `caller ${index}` }])))
    same((await bench.other.readChain(row.chain, whole))[0]?.value, `caller ${winner}`, 'the value, the winner’s')
  },

  'personal data is erased for one account, and nothing else changes': async ({ store, other }) => {
    const rows = [...newChain(3), newRow({ personal: null })]
    const accountId = rows[0]?.accountId ?? ''
    const foreign = newRow({ accountId: `${accountId}0` })
    await store.append([...rows, foreign])
    same([await other.erasePersonal(accountId), await store.erasePersonal(accountId)], [3, 0], 'how many were erased')
    const erased = rows.slice(0, 3).map((row) => ({ ...row, personal: null }))
    same(await other.readChain(rows[0]?.chain ?? '', whole), erased, 'the rows of the account')
    same(await other.readChain(foreign.chain, whole), [foreign], 'the row of another account')
  },

  'a chain is pruned before a place, and no other chain is': async ({ store, other }) => {
    const [rows, foreign] = [newChain(5), newChain(5)]
    await store.append([...rows, ...foreign])
    const chain = rows[0]?.chain ?? ''
    same(await other.prune(chain, 4), 3, 'how many were removed')
    same(await other.readChain(chain, whole), rows.slice(3), 'the chain')
    same(await other.readChain(foreign[0]?.chain ?? '', whole), foreign, 'the other chain')
    const chains = await store.listChains()
    same(
      chains.find((one) => one.chain === chain),
      { chain, first: 4, last: 5 },
      'the chain in the list of chains',
    )
  },
}

const auditListing: TestTable<DurableBench<AuditStore>> = {
  'a listing of an account has all its rows, the newest first, page by page': async ({ store, other }) => {
    const rows = newChain(7)
    await store.append([...rows].reverse())
    await store.append([newRow()])
    const accountId = rows[0]?.accountId ?? ''
    same(await listAll(other, { accountId, limit: 3 }), [...rows].reverse(), 'the rows')
  },

  'rows of one moment are all listed': async ({ store, other }) => {
    const accountId = fresh('acc')
    const rows = [...newChain(3, { at, accountId }), ...newChain(3, { at, accountId })]
    await store.append(rows)
    const listed = await listAll(other, { accountId, limit: 2 })
    same(new Set(listed.map(({ entry }) => entry)).size, 6, 'how many different rows were listed')
    same(listed.length, 6, 'how many rows were listed')
  },

  'a listing of one kind has no other, with and without an account': async ({ store, other }) => {
    const kind = fresh('kind')
    const [one, two] = [newRow({ kind }), newRow({ kind, at: at + 1 })]
    await store.append([one, two, newRow({ accountId: one.accountId })])
    same(await listAll(other, { kind, limit: 10 }), [two, one], 'the rows of the kind')
    same(await listAll(other, { kind, accountId: one.accountId ?? '', limit: 10 }), [one], 'those of one account')
  },
}

async function listAll(store: AuditStore, query: AuditQuery): Promise<readonly StoredAuditRow[]> {
  const listed: StoredAuditRow[] = []
  let cursor: string | undefined
  do {
    const page = await store.list({ ...query, ...(cursor !== undefined && { cursor }) })
    holds(page.items.length <= (query.limit ?? 100), 'a page has no more rows than its limit')
    listed.push(...page.items)
    cursor = page.cursor
  } while (cursor !== undefined)
  return listed
}
