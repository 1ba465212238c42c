import { randomToken } from '@latchkey/bytes'
import type { Comment, Comments } from '../publication/comments.ts'
import { readerOf } from './postgres-articles.ts'
import type { Query } from './postgres-query.ts'

const columns = 'id, text, author_id as "authorId", article_id as "articleId"'

/** The comments on PostgreSQL. */
const readable = `exists (select 1 from articles where articles.id = comments.article_id
  and (articles.status = 'PUBLISHED' or $1::boolean or articles.author_id = $2::text))`

export function createPostgresComments(query: Query): Comments {
  return {
    async get(id, drafts) {
      const values = [...readerOf(drafts), id]
      const [comment] = await query<Comment>(`select ${columns} from comments where id = $3 and ${readable}`, values)
      return comment ?? null
    },
    listByArticles: (articleIds, first) =>
      query<Comment>(
        `select ${columns} from (
          select *, row_number() over (partition by article_id order by comments.position) as place from comments
          where article_id = any($1::text[])
        ) earliest where place <= $2 order by earliest.position`,
        [articleIds, first],
      ),
    listByAuthor: (authorId, first) =>
      query<Comment>(`select ${columns} from comments where author_id = $1::text order by comments.position limit $2`, [
        authorId,
        first,
      ]),
    search: (text, first, drafts) =>
      query<Comment>(
        `select ${columns} from comments where strpos(lower(text), lower($3)) > 0 and ${readable}
        order by comments.position desc limit $4`,
        [...readerOf(drafts), text, first],
      ),
    async ownersOf(ids) {
      const rows = await query<Comment>(`select ${columns} from comments where id = any($1::text[])`, [ids])
      return new Map(rows.map(({ id, authorId }) => [id, authorId]))
    },
    async create(input) {
      const comment = { id: `com_${randomToken(16)}`, ...input }
      const { id, text, authorId, articleId } = comment
      await query('insert into comments (id, text, author_id, article_id) values ($1, $2, $3, $4) returning id', [
        id,
        text,
        authorId,
        articleId,
      ])
      return comment
    },
    remove: async (id) => (await query('delete from comments where id = $1 returning id', [id])).length === 1,
  }
}
