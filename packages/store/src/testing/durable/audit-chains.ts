import type { AuditChain, AuditStore, StoredAuditRow } from '../../audit-store.ts'
import { holds, same } from '../assertions.ts'
import { readPages } from '../read-pages.ts'
import type { TestTable } from '../test-runner.ts'
import { at, newChain, newRow, whole } from './audit-rows.ts'
import { type DurableBench, fresh, race } from './kit-bench.ts'

/** Chains and their heads. */
export const auditChains: TestTable<DurableBench<AuditStore>> = {
  'a chain is read by the numbers of its rows, in whatever order they were added': async ({ store, other }) => {
    const chain = fresh('chain')
    const rows = [10, 9, 100, 2].map((sequence) => newRow({ chain, sequence }))
    for (const row of rows) await store.append([row])
    const sorted = rows.toSorted((one, two) => one.sequence - two.sequence)
    same(await other.readChain(chain, whole), sorted, 'the chain')
    same(await other.readChain(chain, { after: 2, limit: 2 }), sorted.slice(1, 3), 'a part of the chain')
    same(await listedChain(other, chain), listed(sorted), 'the chain in the list of chains')
    same(await other.prune(chain, 10), 2, 'how many were removed before the tenth')
    same(await other.readChain(chain, whole), sorted.slice(2), 'what is left of the chain')
  },

  'a chain is pruned before a place, and no other chain is': async ({ store, other }) => {
    const [rows, foreign] = [newChain(5), newChain(5)]
    await store.append([...rows, ...foreign])
    const chain = rows[0]?.chain ?? ''
    same(await other.prune(chain, 4), 3, 'how many were removed')
    same(await other.readChain(chain, whole), rows.slice(3), 'the chain')
    same(await other.readChain(foreign[0]?.chain ?? '', whole), foreign, 'the other chain')
    same(await listedChain(store, chain), listed(rows.slice(3)), 'the chain in the list of chains')
    same([await other.prune(chain, 5), await listedChain(other, chain)], [1, listed(rows.slice(4))], 'its last row')
    same([await store.prune(chain, 6), await listedChain(other, chain)], [1, null], 'the chain without a row')
    same(await other.prune(chain, 6), 0, 'how many were removed of a chain that is gone')
  },

  'the head of a chain is the row with its greatest number, and moves with what is appended': async (bench) => {
    const { store, other } = bench
    const chain = fresh('chain')
    const [first, second, third, fourth] = [1, 2, 3, 4].map((sequence) =>
      newRow({ chain, sequence, value: `value ${sequence}` }),
    ) as [StoredAuditRow, StoredAuditRow, StoredAuditRow, StoredAuditRow]
    await store.append([second, first])
    same(await listedChain(other, chain), listed([first, second]), 'the head of two rows')
    await other.append([fourth])
    await store.append([third])
    const all = [first, second, third, fourth]
    same(await listedChain(store, chain), listed(all), 'the head after a row before it')
    const rows = [newRow({ chain, sequence: 5 }), { ...first, value: 'other' }]
    same(await other.append(rows), false, 'append over a row that exists')
    same(await listedChain(other, chain), listed(all), 'the head after rows that were not appended')
  },

  'the latest heads are those of the latest rows, whatever their chains': async ({ store, other }) => {
    // Later than the rows of all other tests.
    const times = [1000, 3000, 2000].map((later) => at + 1_000_000_000 + later)
    const rows = times.map((moment) => newRow({ at: moment, value: `at ${moment}` }))
    for (const row of rows) await store.append([row])
    const [first, last, middle] = rows.map(({ chain, sequence, value }) => ({ chain, sequence, value }))
    same(await other.latestHeads(3), [last, middle, first], 'the three latest heads')
    same(await other.latestHeads(1), [last], 'the latest head')
    for (const { chain } of rows) await store.prune(chain, 2)
    holds(
      (await other.latestHeads(1)).every(({ chain }) => rows.every((row) => row.chain !== chain)),
      'a chain that is gone has no head',
    )
  },

  'the heads of parallel appends are those of their last rows': async (bench) => {
    const chains = Array.from({ length: 20 }, () => newChain(3, { personal: null }))
    await race(bench, (client, index) => client.append(chains[index] ?? []))
    const names = chains.map((rows) => rows[0]?.chain)
    const found = (await listAllChains(bench.other, 7)).filter(({ chain }) => names.includes(chain))
    same(found.length, chains.length, 'how many of them are in the list')
    same(
      chains.map((rows) => found.find(({ chain }) => chain === rows[0]?.chain)),
      chains.map(listed),
      'the chains in the list',
    )
  },
}

/** Returns the entry of a chain with all its last rows. */
function listed(rows: readonly StoredAuditRow[]): AuditChain | null {
  const [first, last] = [rows.at(0), rows.at(-1)]
  if (!first || !last) return null
  const { chain, sequence, value } = last
  return { chain, first: first.sequence, last: sequence, head: { chain, sequence, value } }
}

function listAllChains(store: AuditStore, limit: number): Promise<readonly AuditChain[]> {
  return readPages('listChains', limit, async ({ cursor = null }) => {
    const items = await store.listChains({ after: cursor, limit })
    const last = items.at(-1)
    return last && items.length === limit ? { items, cursor: last.chain } : { items }
  })
}

async function listedChain(store: AuditStore, chain: string): Promise<unknown> {
  return (await listAllChains(store, 1000)).find((one) => one.chain === chain) ?? null
}
