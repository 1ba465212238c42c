import type { Account } from '@latchkey/accounts'
import DataLoader from 'dataloader'
import type { Article, Articles } from './articles.ts'
import type { Comment, Comments } from './comments.ts'
import { draftsFor, type Reader } from './drafts.ts'

/** The part of a request's context that its loaders need. */
export interface LoaderContext extends Reader {
  readonly accounts: { getMany(ids: readonly string[]): Promise<(Account | null)[]> }
}

/**
 * Loads the fields of many objects with one query: one query for each entry would let a cheap request keep the database busy.
 */
export interface Loaders {
  account(id: string): Promise<Account | null>
  article(id: string): Promise<Article | null>
  articlesOf(authorId: string, first: number): Promise<readonly Article[]>
  commentsOf(articleId: string, first: number): Promise<readonly Comment[]>
}

/** Creates the loaders of a request: their results are visible to that request only. */
export function createLoaders(articles: Articles, comments: Comments): (context: LoaderContext) => Loaders {
  const known = new WeakMap<LoaderContext, Loaders>()
  return (context) => {
    const loaders = known.get(context) ?? loadersOf(context, articles, comments)
    known.set(context, loaders)
    return loaders
  }
}

/** The loaders do not cache: a mutation changes the results of later reads in the same operation. */
function loadersOf(context: LoaderContext, articles: Articles, comments: Comments): Loaders {
  const drafts = draftsFor(context)
  const accounts = new DataLoader((ids: readonly string[]) => context.accounts.getMany(ids), {
    cache: false,
    maxBatchSize: 1000,
  })
  const byId = load(
    async (ids) => new Map((await articles.getMany(ids, drafts)).map((article) => [article.id, article])),
  )
  const articlesOf = bySize((first) =>
    load(async (ids) => Map.groupBy(await articles.listByAuthors(ids, first, drafts), ({ authorId }) => authorId)),
  )
  const commentsOf = bySize((first) =>
    load(async (ids) => Map.groupBy(await comments.listByArticles(ids, first), ({ articleId }) => articleId)),
  )
  return {
    account: (id) => accounts.load(id),
    article: async (id) => (await byId.load(id)) ?? null,
    articlesOf: async (id, first) => (await articlesOf(first).load(id)) ?? [],
    commentsOf: async (id, first) => (await commentsOf(first).load(id)) ?? [],
  }
}

type Loader<Value> = DataLoader<string, Value | undefined>

function load<Value>(find: (ids: readonly string[]) => Promise<ReadonlyMap<string, Value>>): Loader<Value> {
  const batch = async (ids: readonly string[]): Promise<(Value | undefined)[]> => {
    const found = await find([...new Set(ids)])
    return ids.map((id) => found.get(id))
  }
  return new DataLoader(batch, { cache: false })
}

function bySize<Value>(create: (first: number) => Loader<Value>): (first: number) => Loader<Value> {
  const loaders = new Map<number, Loader<Value>>()
  return (first) => {
    const loader = loaders.get(first) ?? create(first)
    loaders.set(first, loader)
    return loader
  }
}
