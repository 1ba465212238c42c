import type { Broadcast } from '@latchkey/store'
import type { Article } from './articles.ts'
import type { Comment } from './comments.ts'

/** Notifies subscribers in every process of new articles and comments, by id and without content. */
export interface Announcements {
  articlePublished(article: Article): void
  commentAdded(comment: Comment): void
  /** The ids of articles that are published from now on. */
  ofArticles(): Promise<AsyncIterable<string>>
  /** The ids of comments that are added to an article from now on. */
  ofComments(articleId: string): Promise<AsyncIterable<string>>
}

export function createAnnouncements(broadcast: Broadcast): Announcements {
  // The change is made already: a mutation does not fail because subscribers could not be notified.
  const tell = (topic: string, id: string): void => void broadcast.publish(topic, id).catch(() => undefined)
  return {
    articlePublished: ({ id }) => tell('articles', id),
    commentAdded: ({ id, articleId }) => tell(`comments of ${articleId}`, id),
    ofArticles: () => broadcast.listen('articles'),
    ofComments: (articleId) => broadcast.listen(`comments of ${articleId}`),
  }
}
