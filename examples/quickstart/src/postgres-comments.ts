import { randomToken } from '@latchkey/bytes'
import type { Comment, Comments } from './comments.ts'
import type { Query } from './postgres-query.ts'

const columns = 'id, text, author_id as "authorId", article_id as "articleId"'

/** The comments on PostgreSQL. */
export function createPostgresComments(query: Query): Comments {
  return {
    get: async (id) => (await query<Comment>(`select ${columns} from comments where id = $1`, [id]))[0] ?? null,
    listByArticle: (articleId, first) =>
      query<Comment>(`select ${columns} from comments where article_id = $1 order by comments.position limit $2`, [
        articleId,
        first,
      ]),
    search: (text, first) =>
      query<Comment>(
        `select ${columns} from comments where strpos(lower(text), lower($1)) > 0
        order by comments.position desc limit $2`,
        [text, first],
      ),
    async ownersOf(ids) {
      const rows = await query<Comment>(`select ${columns} from comments where id = any($1::text[])`, [ids])
      return new Map(rows.map(({ id, authorId }) => [id, authorId]))
    },
    async create(input) {
      const comment = { id: `com_${randomToken(16)}`, ...input }
      const { id, text, authorId, articleId } = comment
      await query('insert into comments (id, text, author_id, article_id) values ($1, $2, $3, $4)', [
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
