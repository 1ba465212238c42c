import type { ServerStores } from '@latchkey/server'
import type { Articles } from './articles.ts'
import type { Comments } from './comments.ts'

/** Everything that the publication keeps: the stores of Latchkey, and what is its own. */
export interface PublicationData {
  readonly stores: ServerStores
  readonly articles: Articles
  readonly comments: Comments
  /**
   * Runs `fill` on the first start and never again, however many processes start together. What it writes comes in one
   * transaction with the mark that it is there.
   */
  fillOnce(fill: (articles: Articles, comments: Comments) => Promise<void>): Promise<void>
}
