import { describe, expect, test, vi } from 'vitest'
import { type Bench, createBench } from '../bench.ts'

const reader = {
  name: 'A Reader',
  roles: ['READER'],
  status: 'active',
  passwordHash: null,
  epoch: 0,
  keptKey: null,
  enrolled: [],
} as const

async function openFilled() {
  const bench = createBench()
  for (let index = 0; index < 25; index++) {
    const name = index % 5 === 0 ? `Ödön ${index}` : `Reader ${index}`
    await bench.insert({ id: `acc_${String(index).padStart(2, '0')}`, email: `r${index}@example.com`, name })
  }
  await bench.insert({ id: 'acc_99', email: '100%_sure@example.org', name: 'Ada Lovelace' })
  return bench
}

async function findAll({ accounts }: Bench, text: string | null, first?: number) {
  const pages: string[][] = []
  let after: string | null = null
  do {
    const page = await accounts.findAccounts({ text, after, ...(first !== undefined && { first }) })
    pages.push(page.items.map(({ id }) => id))
    after = page.cursor
  } while (after !== null && pages.length < 100)
  return pages
}

describe('accounts are found', () => {
  test.each([
    ['a part of the address', '@example.org', ['acc_99']],
    ['a part of the address in another case', 'EXAMPLE.ORG', ['acc_99']],
    ['a part of the name', 'lovelace', ['acc_99']],
    ['a part of the name in another case', 'öDÖN 1', ['acc_10', 'acc_15']],
    ['the id', 'acc_07', ['acc_07']],
    ['white space around it', '  lovelace ', ['acc_99']],
    ['what a pattern would take for anything', '%', ['acc_99']],
    ['what a pattern would take for a letter', '0%_s', ['acc_99']],
    ['what nobody has', 'nobody', []],
    ['a text that is too long for an address', 'e'.repeat(255), []],
  ])('by %s', async (_what, text, expected) => {
    expect((await findAll(await openFilled(), text)).flat()).toEqual(expected)
  })

  test('findAccounts returns each account once, with every page size', async () => {
    const bench = await openFilled()
    for (const first of [1, 2, 7, 100]) {
      const pages = await findAll(bench, 'ödön', first)
      expect(pages.flat()).toEqual(['acc_00', 'acc_05', 'acc_10', 'acc_15', 'acc_20'])
      for (const page of pages) expect(page.length).toBeLessThanOrEqual(first)
    }
    expect((await findAll(bench, null, 10)).map((page) => page.length)).toEqual([10, 10, 6])
  })

  test.each([1, 20])(
    'findAccounts needs few reads of a store without text search, with a page size of %i',
    async (first) => {
      const { store } = createBench()
      let reads = 0
      const list: typeof store.list = (page) => {
        reads++
        return store.list(page)
      }
      const counted = { ...store, list }
      const bench = createBench({ options: { accounts: counted } })
      for (let index = 0; index < 1000; index++) {
        await store.insert({ ...reader, id: `acc_${1000 + index}`, email: `r${index}@example.com` })
      }
      expect(await bench.accounts.findAccounts({ text: 'ödön', first })).toEqual({ items: [], cursor: null })
      expect(reads).toBeLessThanOrEqual(11)
    },
  )

  test.each<[string | null, object]>([
    [null, { limit: 20 }],
    ['  ', { limit: 20 }],
    [' Ada ', { limit: 20, text: 'ada' }],
    ['e'.repeat(254), { limit: 20, text: 'e'.repeat(254) }],
  ])('by %j in a store that is asked once, for no more than that', async (text, expected) => {
    const { store } = await openFilled()
    const list = vi.fn(store.list)
    const bench = createBench({ options: { accounts: { ...store, list } as typeof store } })
    await bench.accounts.findAccounts({ text, first: 20 })
    expect(list.mock.calls[0]).toEqual([expected])
  })

  test('findAccounts does not read the store for a text longer than any address', async () => {
    const { store } = await openFilled()
    const list = vi.fn(store.list)
    const bench = createBench({ options: { accounts: { ...store, list } as typeof store } })
    expect(await bench.accounts.findAccounts({ text: 'e'.repeat(255) })).toEqual({ items: [], cursor: null })
    expect(list).not.toHaveBeenCalled()
  })

  test.each([
    ['20 by default', undefined, 20],
    ['at least one', 0, 1],
    ['at least one for what is no number', Number.NaN, 1],
    ['at most a hundred', 1000, 26],
  ])('%s on a page', async (_what, first, expected) => {
    const bench = await openFilled()
    const { items } = await bench.accounts.findAccounts(first === undefined ? {} : { first })
    expect(items).toHaveLength(expected)
  })

  test('without hash and epoch', async () => {
    const bench = await openFilled()
    const { items } = await bench.accounts.findAccounts({ text: 'lovelace' })
    expect(items).toEqual([
      { id: 'acc_99', email: '100%_sure@example.org', name: 'Ada Lovelace', roles: ['READER'], status: 'active' },
    ])
  })
})
