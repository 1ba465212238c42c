import { holds } from './assertions.ts'

interface Pages<Item> {
  readonly items: readonly Item[]
  readonly cursor?: string
}

/** More pages than a kit makes of its items. */
const mostPages = 10_000

/** Returns the items of all pages, of at most `limit` items each. An endless list fails the test. */
export async function readPages<Item>(
  method: string,
  limit: number,
  list: (page: { readonly cursor?: string }) => Promise<Pages<Item>>,
): Promise<Item[]> {
  const found: Item[] = []
  const cursors = new Set<string | undefined>([undefined])
  let cursor: string | undefined
  while (cursors.size <= mostPages) {
    const page = await list(cursor === undefined ? {} : { cursor })
    holds(page.items.length <= limit, `${method}: a page must have at most ${limit} items, not ${page.items.length}`)
    found.push(...page.items)
    cursor = page.cursor
    if (cursor === undefined) return found
    holds(!cursors.has(cursor), `${method} must end: it returned the cursor ${JSON.stringify(cursor)} twice`)
    cursors.add(cursor)
  }
  throw new Error(`${method} must end: it returned a cursor after ${mostPages} pages`)
}
