import type { Articles } from './articles.ts'
import type { Comments } from './comments.ts'

/** More than a person writes: an answer has to end. */
const most = 1000

/** Returns what an account has written, drafts too. */
export async function exportPublication(
  { articles, comments }: { readonly articles: Articles; readonly comments: Comments },
  accountId: string,
): Promise<object> {
  const [written, remarks] = await Promise.all([
    articles.listByAuthors([accountId], most, { subject: accountId }),
    comments.listByAuthor(accountId, most),
  ])
  return {
    articles: written.map(({ id, title, body, status }) => ({ id, title, body, status })),
    comments: remarks.map(({ id, text, articleId }) => ({ id, text, articleId })),
  }
}
