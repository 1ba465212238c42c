import type { ServerStores } from '@latchkey/server'
import type { Broadcast } from '@latchkey/store'
import type { Articles } from './articles.ts'
import type { Comments } from './comments.ts'

/** All data of the publication: the stores of Latchkey, its articles and its comments. */
export interface PublicationData {
  readonly stores: ServerStores
  readonly articles: Articles
  readonly comments: Comments
  /** Rejects while the articles and comments cannot be read; omitted if they share the database of the stores. */
  readonly check?: () => Promise<void>
  /** Reaches all processes that share the data, if the database can notify its clients. */
  readonly broadcast: Broadcast
  /**
   * Runs `fill` on the first start and never again, however many processes start together. One transaction writes its
   * articles and comments and the mark of completion.
   */
  fillOnce(fill: (articles: Articles, comments: Comments) => Promise<void>): Promise<void>
}
