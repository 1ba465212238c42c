import { type AuditStore, createMemoryAuditStore, type StoredAuditRow } from '@latchkey/store'
import { describeAuditStore } from '@latchkey/store/testing'
import { failedTitles } from '@latchkey/test-services'
import { expect, test } from 'vitest'

type Mistake = (store: AuditStore) => Partial<AuditStore>

const heads = 'the head of a chain is the row with its greatest number, and moves with what is appended'

const latest = 'the latest heads are those of the latest rows, whatever their chains'

const brokenStores: readonly [mistake: string, fails: string, spoil: Mistake][] = [
  [
    'the head is what was appended last, whatever its number',
    heads,
    (store) => {
      const latest = new Map<string, StoredAuditRow>()
      return {
        async append(rows) {
          const isAdded = await store.append(rows)
          if (isAdded) for (const one of rows) latest.set(one.chain, one)
          return isAdded
        },
        async listChains(query) {
          const chains = await store.listChains(query)
          return chains.map((one) => {
            const { chain, sequence, value } = latest.get(one.chain) ?? { chain: '', sequence: 0, value: '' }
            return { ...one, head: { chain, sequence, value } }
          })
        },
      }
    },
  ],
  [
    'the head moves before it is known whether the rows are added',
    heads,
    (store) => {
      const moved = new Map<string, StoredAuditRow>()
      return {
        append(rows) {
          for (const one of rows) {
            if ((moved.get(one.chain)?.sequence ?? 0) < one.sequence) moved.set(one.chain, one)
          }
          return store.append(rows)
        },
        async listChains(query) {
          return (await store.listChains(query)).map((chain) => {
            const { sequence, value } = moved.get(chain.chain) ?? { sequence: 0, value: '' }
            return { ...chain, head: { chain: chain.chain, sequence, value } }
          })
        },
      }
    },
  ],
  [
    'the head is not kept',
    heads,
    (store) => ({
      async listChains(query) {
        return (await store.listChains(query)).map((chain) => ({ ...chain, head: null }))
      },
    }),
  ],
  [
    'one head is kept of several appends at once',
    'the heads of parallel appends are those of their last rows',
    (store) => {
      let kept: readonly { readonly chain: string; readonly head: StoredAuditRow }[] = []
      return {
        async append(rows) {
          const before = kept
          const isAdded = await store.append(rows)
          const [head] = rows.toSorted((one, other) => other.sequence - one.sequence)
          if (isAdded && head)
            kept = [...before.filter(({ chain }) => chain !== head.chain), { chain: head.chain, head }]
          return isAdded
        },
        async listChains(query) {
          return (await store.listChains(query)).map(({ chain, ...rest }) => {
            const { sequence = 0, value = '' } = kept.find((one) => one.chain === chain)?.head ?? {}
            return { chain, ...rest, head: { chain, sequence, value } }
          })
        },
      }
    },
  ],
  [
    'the latest heads are those that were appended last',
    latest,
    (store) => {
      const order: string[] = []
      return {
        async append(rows) {
          order.push(...rows.map(({ chain }) => chain))
          return store.append(rows)
        },
        async latestHeads(limit) {
          const heads = await store.latestHeads(1000)
          return heads
            .toSorted((one, other) => order.lastIndexOf(other.chain) - order.lastIndexOf(one.chain))
            .slice(0, limit)
        },
      }
    },
  ],
  ['all heads are the latest ones', latest, (store) => ({ latestHeads: () => store.latestHeads(1000) })],
  [
    'a page of chains begins with the last one of the page before',
    'the heads of parallel appends are those of their last rows',
    (store) => ({
      async listChains({ after, limit }) {
        const chains = await store.listChains({ after: null, limit: 1000 })
        return chains
          .slice(
            Math.max(
              chains.findIndex(({ chain }) => chain === after),
              0,
            ),
          )
          .slice(0, limit)
      },
    }),
  ],
  [
    'states are not asked for',
    'a listing of some states and decisions has no others',
    (store) => ({ list: ({ states: _states, ...query } = {}) => store.list(query) }),
  ],
  [
    'decisions are not asked for',
    'a listing of some states and decisions has no others',
    (store) => ({ list: ({ entries: _entries, ...query } = {}) => store.list(query) }),
  ],
  [
    'no decision is taken for all of them',
    'a listing of no state and of no decision is empty',
    (store) => ({
      list: ({ entries, ...query } = {}) => store.list(entries?.length ? { entries, ...query } : query),
    }),
  ],
]

test.each(brokenStores)('the kit for audit stores finds that %s', async (_mistake, fails, spoil) => {
  const sound = createMemoryAuditStore()
  const store = { ...sound, ...spoil(sound) }
  expect(await failedTitles((runner) => describeAuditStore({ ...runner, createStore: () => store }))).toContain(fails)
})
