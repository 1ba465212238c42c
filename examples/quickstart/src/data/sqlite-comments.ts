import type { DatabaseSync } from 'node:sqlite'
import { randomToken } from '@latchkey/bytes'
import type { Comment, Comments } from '../publication/comments.ts'
import { readerOf } from './sqlite-articles.ts'
import { whenFree } from './when-free.ts'

const columns = 'id, text, author_id as authorId, article_id as articleId'

// Part of the statement: if the result were filtered afterwards, a shorter list would reveal hidden comments.
const readable = `exists (select 1 from articles where articles.id = comments.article_id
  and (articles.status = 'PUBLISHED' or :everybody = 1 or articles.author_id = :subject))`

/**
 * Creates the comments on SQLite.
 *
 * @param open returns the open database; it is called when it is first needed.
 */
export function createSqliteComments(open: () => DatabaseSync): Comments {
  let prepared: ReturnType<typeof prepareStatements> | null = null
  const statement = () => {
    prepared ??= prepareStatements(open())
    return prepared
  }
  return {
    get: (id, drafts) => whenFree(() => toComment(statement().get.get({ id, ...readerOf(drafts) }))),
    listByArticles: (articleIds, first) =>
      whenFree(() => toComments(statement().list.all({ ids: JSON.stringify(articleIds), first }))),
    listByAuthor: (authorId, first) => whenFree(() => toComments(statement().listByAuthor.all({ authorId, first }))),
    search: (text, first, drafts) =>
      whenFree(() => toComments(statement().search.all({ text, first, ...readerOf(drafts) }))),
    ownersOf: (ids) => whenFree(() => new Map(ids.flatMap((id) => ownerOf(statement().owner.get(id), id)))),
    async create(input) {
      const comment = { id: `com_${randomToken(16)}`, ...input }
      await whenFree(() => statement().insert.run({ ...comment }))
      return comment
    },
    remove: (id) => whenFree(() => statement().remove.run(id).changes === 1),
  }
}

function prepareStatements(database: DatabaseSync) {
  return {
    get: database.prepare(`select ${columns} from comments where id = :id and ${readable}`),
    list: database.prepare(`
      select ${columns} from (
        select *, row_number() over (partition by article_id order by position) as place from comments
        where article_id in (select value from json_each(:ids))
      ) where place <= :first order by position`),
    listByAuthor: database.prepare(
      `select ${columns} from comments where author_id = :authorId order by position limit :first`,
    ),
    search: database.prepare(`
      select ${columns} from comments where instr(lower(text), lower(:text)) > 0 and ${readable}
      order by position desc limit :first`),
    owner: database.prepare('select author_id as authorId from comments where id = ?'),
    insert: database.prepare(
      'insert into comments (id, text, author_id, article_id) values (:id, :text, :authorId, :articleId)',
    ),
    remove: database.prepare('delete from comments where id = ?'),
  }
}

function ownerOf(row: Record<string, unknown> | undefined, id: string): (readonly [string, string])[] {
  return typeof row?.authorId === 'string' ? [[id, row.authorId]] : []
}

function toComments(rows: readonly Record<string, unknown>[]): readonly Comment[] {
  return rows.flatMap((row) => toComment(row) ?? [])
}

function toComment(row: Record<string, unknown> | undefined): Comment | null {
  return row === undefined ? null : ({ ...row } as unknown as Comment)
}
