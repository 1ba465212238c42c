import type { AuditQuery, AuditStore, StoredAuditRow } from '../../audit-store.ts'
import { anyText } from '../any-text.ts'
import { holds, same } from '../assertions.ts'
import { confusablePairs } from '../confusable-pairs.ts'
import type { OutageCalls } from '../describe-outages.ts'
import { readPages } from '../read-pages.ts'
import type { StoreKit } from '../store-kit.ts'
import type { TestTable } from '../test-runner.ts'
import { auditChains } from './audit-chains.ts'
import { at, newChain, newRow, whole } from './audit-rows.ts'
import { type DurableBench, describeDurable, fresh, isOwnCopy, race, spoil, winnerOf } from './kit-bench.ts'

/**
 * Describes the whole contract of `AuditStore` as tests of a runner: rows are added all or none, never overwritten,
 * listed completely, and erased or pruned only on request. One test lists all rows, so use a backend with few rows.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryAuditStore } from '@latchkey/store'
 * import { describeAuditStore } from '@latchkey/store/testing'
 * const store = createMemoryAuditStore()
 * describeAuditStore({ describe, test, createStore: () => store })
 */
export function describeAuditStore(kit: StoreKit<AuditStore>): void {
  const tables = { contract: auditContract, chains: auditChains, listing: auditListing }
  const probe = (client: AuditStore) => client.readChain('kit_unknown', whole)
  describeDurable('audit store', kit, { tables, prepareOutages, probe })
}

async function prepareOutages({ store, other }: DurableBench<AuditStore>): Promise<OutageCalls<AuditStore>> {
  const [called, appended, erased, pruned] = [newRow(), newRow(), newRow(), newRow()]
  for (const row of [called, erased, pruned]) await store.append([row])
  const left = (row: StoredAuditRow, what: string, expected: readonly StoredAuditRow[]) => async () =>
    same(await other.readChain(row.chain, whole), expected, `the chain of the failed ${what}`)
  const accountOf = (row: StoredAuditRow) => row.accountId ?? ''
  return {
    callsOf: (client) => ({
      append: () => client.append([newRow()]),
      list: () => client.list({ accountId: accountOf(called) }),
      readChain: () => client.readChain(called.chain, whole),
      listChains: () => client.listChains({ after: null, limit: 1 }),
      latestHeads: () => client.latestHeads(1),
      erasePersonal: () => client.erasePersonal(accountOf(called)),
      prune: () => client.prune(called.chain, 2),
    }),
    changes: {
      append: { call: () => store.append([appended]), checkUndone: left(appended, 'append', []) },
      erasePersonal: {
        call: () => store.erasePersonal(accountOf(erased)),
        checkUndone: left(erased, 'erasePersonal', [erased]),
      },
      prune: { call: () => store.prune(pruned.chain, 2), checkUndone: left(pruned, 'prune', [pruned]) },
    },
  }
}

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

  'every character of a row is kept, and NUL is kept or rejected': async ({ store, other }) => {
    const kept = newRow({
      chain: `${fresh('chain')}${anyText}`,
      accountId: `${fresh('acc')}${anyText}`,
      value: anyText.repeat(20),
      personal: anyText.repeat(20),
    })
    same(await store.append([kept]), true, 'append of a row with every kind of character')
    same(await other.readChain(kept.chain, whole), [kept], 'the row')
    for (const member of ['chain', 'accountId', 'value', 'personal'] as const) {
      const row = newRow({ [member]: `${fresh('nul')}\0after` })
      const isStored = await store.append([row]).catch(() => null)
      same(isStored === null ? [] : await other.readChain(row.chain, whole), isStored ? [row] : [], `NUL in ${member}`)
    }
  },

  'a sequence has more than 32 bits': async ({ store, other }) => {
    const chain = fresh('chain')
    const rows = [65_536, 16_777_217, 4_294_967_296, 9_007_199_254_740_990].map((sequence) =>
      newRow({ chain, sequence }),
    )
    same(await store.append(rows), true, 'append of rows with large sequences')
    same(await other.readChain(chain, whole), rows, 'the chain')
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

  'changing rows that were passed in or returned changes no row': async ({ store }) => {
    const row = newRow()
    const { chain, accountId } = row
    const given = { ...row }
    await store.append([given])
    spoil(given)
    same(await store.readChain(chain, whole), [row], 'the row, after what was passed in was changed')
    await isOwnCopy(async () => (await store.readChain(chain, whole))[0])
    await isOwnCopy(async () => (await store.list({ accountId: accountId ?? '' })).items[0])
    await store.erasePersonal(accountId ?? '')
    await isOwnCopy(async () => (await store.readChain(chain, whole))[0])
  },

  'personal data is erased for one account, and nothing else changes': async ({ store, other }) => {
    const rows = newChain(3)
    const accountId = rows[0]?.accountId ?? ''
    const bare = newRow({ accountId, personal: null })
    const foreign = newRow({ accountId: `${accountId}0` })
    await store.append([...rows, bare, foreign])
    same([await other.erasePersonal(accountId), await store.erasePersonal(accountId)], [3, 0], 'how many were erased')
    const erased = rows.map((row) => ({ ...row, personal: null }))
    same(await other.readChain(rows[0]?.chain ?? '', whole), erased, 'the rows of the account')
    same(await other.readChain(bare.chain, whole), [bare], 'the row that had no personal data')
    same(await other.readChain(foreign.chain, whole), [foreign], 'the row of another account')
  },

  'of parallel erasures and prunings each row is counted by one': async (bench) => {
    const rows = newChain(5)
    const [chain, accountId] = [rows[0]?.chain ?? '', rows[0]?.accountId ?? '']
    await bench.store.append(rows)
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
    same(sum(await race(bench, (client) => client.erasePersonal(accountId))), 5, 'how many were erased by all calls')
    same(sum(await race(bench, (client) => client.prune(chain, 4))), 3, 'how many were removed by all calls')
    const left = rows.slice(3).map((row) => ({ ...row, personal: null }))
    same(await bench.other.readChain(chain, whole), left, 'what is left of the chain')
  },

  'chains and accounts that look alike are kept apart': async ({ store, other }) => {
    // Rows stay, so that every name is a fresh one.
    for (const [what, name, twin] of confusablePairs().filter(([, text]) => text !== '__proto__')) {
      const [mine, theirs] = [newRow({ chain: name, accountId: name }), newRow({ chain: twin, accountId: twin })]
      same([await store.append([mine]), await other.append([theirs])], [true, true], `appends to chains with ${what}`)
      same(await other.readChain(name, whole), [mine], `a chain with ${what}`)
      same((await other.list({ accountId: name })).items, [mine], `the rows of an account with ${what}`)
      same([await other.erasePersonal(twin), await other.prune(twin, 2)], [1, 1], `erased and removed, with ${what}`)
      same(await store.readChain(name, whole), [mine], `the other chain, with ${what}`)
    }
  },
}

const auditListing: TestTable<DurableBench<AuditStore>> = {
  'a listing of an account has all its rows, the newest first, page by page': async ({ store, other }) => {
    const rows = newChain(7)
    await store.append([...rows.slice(3), ...rows.slice(0, 3)])
    await store.append([newRow()])
    const accountId = rows[0]?.accountId ?? ''
    for (const limit of [1, 3, 7]) {
      same(await listAll(other, { accountId, limit }), [...rows].reverse(), `the rows, in pages of ${limit}`)
    }
  },

  'moments are compared as numbers': async ({ store, other }) => {
    const accountId = fresh('acc')
    const rows = [1000, 999, 10_000, 0].map((moment) => newRow({ accountId, at: moment }))
    await store.append(rows)
    const sorted = rows.toSorted((one, two) => two.at - one.at)
    for (const limit of [1, 10]) same(await listAll(other, { accountId, limit }), sorted, `in pages of ${limit}`)
  },

  'rows of one moment are all listed, those of a chain with the latest first': async ({ store, other }) => {
    const accountId = fresh('acc')
    const [chain, second] = [`${fresh('chain')} with spaces`, fresh('chain')]
    const rows = [10, 9, 11].flatMap((sequence) =>
      [chain, second].map((name) => newRow({ chain: name, accountId, sequence })),
    )
    await store.append(rows)
    for (const limit of [1, 2, 4]) {
      const listed = await listAll(other, { accountId, limit })
      same(new Set(listed.map(({ entry }) => entry)).size, 6, 'how many different rows were listed')
      same(listed.length, 6, 'how many rows were listed')
      const sequences = listed.filter((row) => row.chain === chain).map(({ sequence }) => sequence)
      same(sequences, [11, 10, 9], 'the order of the rows of one chain')
    }
  },

  'a page has at most 100 rows by default': async ({ store, other }) => {
    const rows = newChain(105)
    await store.append(rows)
    const accountId = rows[0]?.accountId ?? ''
    same((await other.list({ accountId })).items.length, 100, 'the number of rows on a page')
    same(await listAll(other, { accountId }), [...rows].reverse(), 'the rows over all pages')
  },

  'a listing of everything has the rows of every account and kind': async ({ store, other }) => {
    const rows = [newRow(), newRow({ accountId: null, kind: fresh('kind') })]
    await store.append(rows)
    holds((await other.list()).items.length > 0, 'a page must have rows while there are some')
    const listed = await listAll(other, { limit: 1000 })
    for (const row of rows) {
      same(
        listed.filter(({ entry }) => entry === row.entry),
        [row],
        'the listed row',
      )
    }
    const isSorted = listed.every((row, index) => index === 0 || row.at <= (listed[index - 1]?.at ?? 0))
    holds(isSorted, 'the newest rows must come first')
  },

  'a listing of one kind has no other, with and without an account': async ({ store, other }) => {
    const kind = fresh('kind')
    const [one, two] = [newRow({ kind }), newRow({ kind, at: at + 1 })]
    await store.append([one, two, newRow({ accountId: one.accountId }), newRow({ kind: kind.toUpperCase() })])
    same(await listAll(other, { kind, limit: 10 }), [two, one], 'the rows of the kind')
    same(await listAll(other, { kind, accountId: one.accountId ?? '', limit: 10 }), [one], 'those of one account')
  },

  'a listing of some states and decisions has no others': async ({ store, other }) => {
    const states = ['intended', 'done', 'failed', 'checkpoint'] as const
    const kind = fresh('kind')
    const rows = states.map((state, index) => newRow({ kind, state, at: at + index, entry: fresh('entry') }))
    await store.append([...rows, newRow({ entry: `${rows[0]?.entry}0`, kind })])
    for (const row of rows) {
      same(await listAll(other, { kind, entries: [row.entry] }), [row], 'the row of one decision')
    }
    const [intended, done, failed, checkpoint] = rows
    if (!intended || !done || !failed || !checkpoint) throw new Error('there are four rows')
    const entries = [intended, done, failed].map(({ entry }) => entry)
    same(await listAll(other, { entries, limit: 2 }), [failed, done, intended], 'the rows of three decisions')
    same(await listAll(other, { entries, states: ['intended', 'failed'] }), [failed, intended], 'those of two states')
    same(await listAll(other, { kind, states: ['checkpoint'] }), [checkpoint], 'those of one state')
    const many = Array.from({ length: 1000 }, (_none, index) => (index === 700 ? done.entry : fresh('entry')))
    same(await listAll(other, { entries: many }), [done], 'the row of one decision among a thousand')
  },

  'a listing of no state and of no decision is empty': async ({ store, other }) => {
    const row = newRow()
    await store.append([row])
    for (const query of [{ states: [] }, { entries: [] }]) {
      same(await other.list({ accountId: row.accountId ?? '', ...query }), { items: [] }, 'the rows')
    }
  },
}

function listAll(store: AuditStore, query: AuditQuery): Promise<readonly StoredAuditRow[]> {
  return readPages('list', query.limit ?? 100, (page) => store.list({ ...query, ...page }))
}
