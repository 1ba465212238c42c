import type { DatabaseSync } from 'node:sqlite'
import { randomToken } from '@latchkey/bytes'
import type { Article, Articles, DraftsOf } from '../publication/articles.ts'
import { whenFree } from './when-free.ts'

const columns = 'id, title, body, status, rating, author_id as authorId'
const readable = `(status = 'PUBLISHED' or :everybody = 1 or author_id = :subject)`

/**
 * Creates the articles on SQLite.
 *
 * @param open returns the open database; it is called when it is first needed.
 */
export function createSqliteArticles(open: () => DatabaseSync): Articles {
  let prepared: ReturnType<typeof prepareStatements> | null = null
  const statement = () => {
    prepared ??= prepareStatements(open())
    return prepared
  }
  return {
    get: (id, drafts) => whenFree(() => toArticle(statement().get.get({ id, ...readerOf(drafts) }))),
    getMany: (ids, drafts) =>
      whenFree(() => toArticles(statement().getMany.all({ ids: JSON.stringify(ids), ...readerOf(drafts) }))),
    listByAuthors: (ids, first, drafts) =>
      whenFree(() =>
        toArticles(statement().listByAuthors.all({ ids: JSON.stringify(ids), first, ...readerOf(drafts) })),
      ),
    list({ drafts, first, after = null, status = null, text = null }) {
      const parameters = { ...readerOf(drafts), first, after, status, text }
      return whenFree(() => toArticles(statement().list.all(parameters)))
    },
    ownersOf: (ids) => whenFree(() => new Map(ids.flatMap((id) => ownerOf(statement().owner.get(id), id)))),
    authors: (drafts) =>
      whenFree(() =>
        statement()
          .authors.all(readerOf(drafts))
          .map(({ authorId }) => String(authorId)),
      ),
    async create(input) {
      const article = { id: `art_${randomToken(16)}`, ...input }
      await whenFree(() => statement().insert.run({ ...article }))
      return article
    },
    update: (id, { title, body }) => whenFree(() => toArticle(statement().update.get({ id, title, body }))),
    publish: (id) => whenFree(() => toArticle(statement().publish.get(id))),
    remove: (id) => whenFree(() => statement().remove.run(id).changes === 1),
    removeDrafts: (authorId) => whenFree(() => void statement().removeDrafts.run(authorId)),
  }
}

function prepareStatements(database: DatabaseSync) {
  return {
    get: database.prepare(`select ${columns} from articles where id = :id and ${readable}`),
    getMany: database.prepare(
      `select ${columns} from articles where id in (select value from json_each(:ids)) and ${readable}`,
    ),
    listByAuthors: database.prepare(`
      select ${columns} from (
        select *, row_number() over (partition by author_id order by position desc) as place from articles
        where author_id in (select value from json_each(:ids)) and ${readable}
      ) where place <= :first order by position desc`),
    list: database.prepare(`
      select ${columns} from articles
      where ${readable}
        and (:status is null or status = :status)
        and (:text is null or instr(lower(title || ' ' || body), lower(:text)) > 0)
        and (:after is null or position < (select position from articles where id = :after and ${readable}))
      order by position desc limit :first`),
    owner: database.prepare('select author_id as authorId from articles where id = ?'),
    authors: database.prepare(`select distinct author_id as authorId from articles where ${readable}`),
    insert: database.prepare(
      'insert into articles (id, title, body, status, rating, author_id) values (:id, :title, :body, :status, :rating, :authorId)',
    ),
    update: database.prepare(`update articles set title = :title, body = :body where id = :id returning ${columns}`),
    publish: database.prepare(`update articles set status = 'PUBLISHED' where id = ? returning ${columns}`),
    remove: database.prepare('delete from articles where id = ?'),
    removeDrafts: database.prepare(`delete from articles where author_id = ? and status = 'DRAFT'`),
  }
}

function ownerOf(row: Record<string, unknown> | undefined, id: string): (readonly [string, string])[] {
  return typeof row?.authorId === 'string' ? [[id, row.authorId]] : []
}

/** The parameters of a condition on what a reader may see. */
export function readerOf(drafts: DraftsOf): { everybody: number; subject: string | null } {
  return drafts === 'everybody' ? { everybody: 1, subject: null } : { everybody: 0, subject: drafts.subject }
}

function toArticles(rows: readonly Record<string, unknown>[]): readonly Article[] {
  return rows.flatMap((row) => toArticle(row) ?? [])
}

function toArticle(row: Record<string, unknown> | undefined): Article | null {
  return row === undefined ? null : ({ ...row } as unknown as Article)
}
