import type { DatabaseSync } from 'node:sqlite'
import { randomToken } from '@latchkey/bytes'
import { whenFree } from './when-free.ts'

export interface Comment {
  readonly id: string
  readonly text: string
  readonly authorId: string
  readonly articleId: string
}

/** The comments in the database. Whether their article may be seen is for the caller to ask first. */
export interface Comments {
  get(id: string): Promise<Comment | null>
  listByArticle(articleId: string, first: number): Promise<readonly Comment[]>
  search(text: string, first: number): Promise<readonly Comment[]>
  ownersOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  create(comment: Omit<Comment, 'id'>): Promise<Comment>
  remove(id: string): Promise<boolean>
}

const columns = 'id, text, author_id as authorId, article_id as articleId'

export function createComments(database: DatabaseSync): Comments {
  const statement = {
    get: database.prepare(`select ${columns} from comments where id = ?`),
    list: database.prepare(`select ${columns} from comments where article_id = ? order by position limit ?`),
    search: database.prepare(
      `select ${columns} from comments where instr(lower(text), lower(?)) > 0 order by position desc limit ?`,
    ),
    insert: database.prepare(
      'insert into comments (id, text, author_id, article_id) values (:id, :text, :authorId, :articleId)',
    ),
    remove: database.prepare('delete from comments where id = ?'),
  }
  const get = (id: string): Comment | null => toComment(statement.get.get(id))
  return {
    get: (id) => whenFree(() => get(id)),
    listByArticle: (articleId, first) =>
      whenFree(() => statement.list.all(articleId, first).flatMap((row) => toComment(row) ?? [])),
    search: (text, first) => whenFree(() => statement.search.all(text, first).flatMap((row) => toComment(row) ?? [])),
    ownersOf: (ids) =>
      whenFree(() => new Map(ids.flatMap((id) => get(id) ?? []).map(({ id, authorId }) => [id, authorId]))),
    async create(input) {
      const comment = { id: `com_${randomToken(16)}`, ...input }
      await whenFree(() => statement.insert.run({ ...comment }))
      return comment
    },
    remove: (id) => whenFree(() => statement.remove.run(id).changes === 1),
  }
}

function toComment(row: Record<string, unknown> | undefined): Comment | null {
  return row === undefined ? null : ({ ...row } as unknown as Comment)
}
