import { randomToken } from '@latchkey/bytes'
import type { Article, Articles, DraftsOf } from '../publication/articles.ts'
import type { Query } from './postgres-query.ts'

const columns = 'id, title, body, status, rating, author_id as "authorId"'
/** The first two parameters come from `readerOf`. */
const readable = `(status = 'PUBLISHED' or $1::boolean or author_id = $2::text)`

// What returns rows is undone when the server executes it too late.
const insert =
  'insert into articles (id, title, body, status, rating, author_id) values ($1, $2, $3, $4, $5, $6) returning id'

/** The articles on PostgreSQL. */
export function createPostgresArticles(query: Query): Articles {
  const one = async (text: string, values: readonly unknown[]): Promise<Article | null> =>
    (await query<Article>(text, values))[0] ?? null
  return {
    get: (id, drafts) =>
      one(`select ${columns} from articles where id = $3 and ${readable}`, [...readerOf(drafts), id]),
    getMany: (ids, drafts) =>
      query<Article>(`select ${columns} from articles where id = any($3::text[]) and ${readable}`, [
        ...readerOf(drafts),
        ids,
      ]),
    listByAuthors: (authorIds, first, drafts) =>
      query<Article>(
        `select ${columns} from (
          select *, row_number() over (partition by author_id order by articles.position desc) as place from articles
          where author_id = any($3::text[]) and ${readable}
        ) latest where place <= $4 order by latest.position desc`,
        [...readerOf(drafts), authorIds, first],
      ),
    list: ({ drafts, first, after = null, status = null, text = null }) =>
      query<Article>(
        `select ${columns} from articles
        where ${readable}
          and ($3::text is null or status = $3)
          and ($4::text is null or strpos(lower(title || ' ' || body), lower($4)) > 0)
          and ($5::text is null or articles.position < (select position from articles where id = $5 and ${readable}))
        order by articles.position desc limit $6`,
        [...readerOf(drafts), status, text, after, first],
      ),
    async ownersOf(ids) {
      const rows = await query<Pick<Article, 'id' | 'authorId'>>(
        'select id, author_id as "authorId" from articles where id = any($1::text[])',
        [ids],
      )
      return new Map(rows.map(({ id, authorId }) => [id, authorId]))
    },
    async authors(drafts) {
      const rows = await query<Pick<Article, 'authorId'>>(
        `select distinct author_id as "authorId" from articles where ${readable}`,
        readerOf(drafts),
      )
      return rows.map(({ authorId }) => authorId)
    },
    async create(input) {
      const article = { id: `art_${randomToken(16)}`, ...input }
      const { id, title, body, status, rating, authorId } = article
      await query(insert, [id, title, body, status, rating, authorId])
      return article
    },
    update: (id, { title, body }) =>
      one(`update articles set title = $2, body = $3 where id = $1 returning ${columns}`, [id, title, body]),
    publish: (id) => one(`update articles set status = 'PUBLISHED' where id = $1 returning ${columns}`, [id]),
    async removeDrafts(authorId) {
      await query(`delete from articles where author_id = $1 and status = 'DRAFT' returning id`, [authorId])
    },
    remove: async (id) => (await query('delete from articles where id = $1 returning id', [id])).length === 1,
  }
}

/** The first two parameters of a condition on what a reader may see. */
export function readerOf(drafts: DraftsOf): readonly [everybody: boolean, subject: string | null] {
  return drafts === 'everybody' ? [true, null] : [false, drafts.subject]
}
