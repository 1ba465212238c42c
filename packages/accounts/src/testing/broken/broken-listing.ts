import { type BrokenAccountStore, broken } from './broken-store.ts'

export const brokenListing: readonly BrokenAccountStore[] = [
  broken(
    'pages are counted from the start',
    'a listing goes on after accounts of its earlier pages are removed',
    (slow) => ({
      async list({ limit = 100, cursor = '0' } = {}) {
        const { items } = await slow.store.list({ limit: 100_000 })
        const end = Number(cursor) + limit
        const page = items.slice(Number(cursor), end)
        return end < items.length ? { items: page, cursor: String(end) } : { items: page }
      },
    }),
  ),

  broken('a listing ends with the first page', 'every account is listed once, page by page', (slow) => ({
    list: async (page) => ({ items: (await slow.store.list(page)).items }),
  })),

  broken(
    'one account alone stands for its roles',
    'of each list of roles that active accounts have two hold it, or the only one',
    (slow) => ({
      async listRoleHolders() {
        const holders = (await slow.store.listRoleHolders?.()) ?? []
        return holders.filter(({ roles }, at) => holders.findIndex((one) => `${one.roles}` === `${roles}`) === at)
      },
    }),
  ),

  broken(
    'closed accounts hold roles',
    'of each list of roles that active accounts have two hold it, or the only one',
    (slow) => ({
      async listRoleHolders() {
        const { items } = await slow.store.list({ limit: 100_000 })
        const lists = Map.groupBy(items, ({ roles }) => JSON.stringify(roles))
        return [...lists.values()].flatMap((holders) => holders.slice(0, 2))
      },
    }),
  ),

  broken('a text is looked for in one case only', 'a text leaves out no account that it is a part of', (slow) => ({
    async list({ text = '', ...page } = {}) {
      const { items, ...rest } = await slow.store.list(page)
      return { ...rest, items: items.filter(({ id, name, email }) => `${id} ${name} ${email}`.includes(text)) }
    },
  })),

  broken(
    'a page that a text leaves empty ends the listing',
    'a text leaves out no account that it is a part of',
    (slow) => ({
      async list({ text = '', ...page } = {}) {
        const { items, cursor } = await slow.store.list(page)
        const found = items.filter(({ id, name, email }) => `${id} ${name} ${email}`.toLowerCase().includes(text))
        return { items: found, ...(cursor !== undefined && found.length > 0 && { cursor }) }
      },
    }),
  ),

  broken('a text is a regular expression', 'a text leaves out no account that it is a part of', (slow) => ({
    async list({ text = '', ...page } = {}) {
      const { items, ...rest } = await slow.store.list(page)
      const pattern = new RegExp(text, 'i')
      return { ...rest, items: items.filter(({ id, name, email }) => pattern.test(`${id} ${name} ${email}`)) }
    },
  })),

  broken(
    'new accounts are listed first, and pages are counted',
    'a listing has each account once while others are inserted',
    (slow) => ({
      async list({ limit = 100, cursor = '0' } = {}) {
        await slow.roundTrip()
        const all = [...slow.accounts.values()].reverse()
        const end = Number(cursor) + limit
        const items = structuredClone(all.slice(Number(cursor), end))
        return end < all.length ? { items, cursor: String(end) } : { items }
      },
    }),
  ),

  broken(
    'the last account of a page is on the next one, too',
    'every account is listed once, page by page',
    (slow) => ({
      async list(page) {
        const { items, cursor } = await slow.store.list(page)
        return cursor === undefined || items.length < 2
          ? { items, ...(cursor !== undefined && { cursor }) }
          : { items, cursor: items.at(-2)?.id ?? '' }
      },
    }),
  ),

  broken('the first account of each page is lost', 'every account is listed once, page by page', (slow) => ({
    async list(page) {
      const { items, ...rest } = await slow.store.list(page)
      return { ...rest, items: page?.cursor === undefined ? items : items.slice(1) }
    },
  })),

  broken('no limit is kept', 'a page has no more items than its limit', (slow) => ({
    list: (page) => slow.store.list({ ...page, limit: 100_000 }),
  })),

  broken('a page of any length has no more than 1000', 'a page has no more items than its limit', (slow) => ({
    list: ({ limit = 1000, ...page } = {}) => slow.store.list({ ...page, limit }),
  })),

  broken('removed accounts are listed', 'a removed account is no longer listed', (slow) => {
    const removed: string[] = []
    const listed = new Map()
    return {
      async remove(id, expected) {
        const account = await slow.store.get(id)
        if (account) listed.set(id, account)
        removed.push(id)
        return slow.store.remove(id, expected)
      },
      async list(page) {
        const { items, ...rest } = await slow.store.list(page)
        return { ...rest, items: [...items, ...(rest.cursor === undefined ? listed.values() : [])] }
      },
    }
  }),

  broken('a list has the stored objects', 'changing a listed account changes no account', (slow) => ({
    async list(page) {
      const { items, ...rest } = await slow.store.list(page)
      return { ...rest, items: items.flatMap(({ id }) => slow.accounts.get(id) ?? []) }
    },
  })),
]
