import type { Broadcast } from '@latchkey/store'
import type { Article } from './articles.ts'
import type { Comment } from './comments.ts'

/** Tells those who are subscribed, in every process, what has just happened: ids, and nothing that could be read. */
export interface Announcements {
  articlePublished(article: Article): void
  commentAdded(comment: Comment): void
  /** The ids of articles that are published from now on. */
  ofArticles(): Promise<AsyncIterable<string>>
  /** The ids of comments that are added to an article from now on. */
  ofComments(articleId: string): Promise<AsyncIterable<string>>
}

export function createAnnouncements(broadcast: Broadcast): Announcements {
  // What has happened has happened: that nobody could be told of it fails no mutation.
  const tell = (topic: string, id: string): void => void broadcast.publish(topic, id).catch(() => undefined)
  return {
    articlePublished: ({ id }) => tell('articles', id),
    commentAdded: ({ id, articleId }) => tell(`comments of ${articleId}`, id),
    ofArticles: () => broadcast.listen('articles'),
    ofComments: (articleId) => broadcast.listen(`comments of ${articleId}`),
  }
}
