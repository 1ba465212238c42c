import type { ServerStores } from '@latchkey/server'
import type { Broadcast } from '@latchkey/store'
import type { Articles } from './articles.ts'
import type { Comments } from './comments.ts'

/** Everything that the publication keeps: the stores of Latchkey, and what is its own. */
export interface PublicationData {
  readonly stores: ServerStores
  readonly articles: Articles
  readonly comments: Comments
  /** Rejects while the articles and comments cannot be read; omitted: they are where the stores are. */
  readonly check?: () => Promise<void>
  /** Reaches all processes that share the data, as far as it is a server that can tell them. */
  readonly broadcast: Broadcast
  /**
   * Runs `fill` on the first start and never again, however many processes start together. What it writes comes in one
   * transaction with the mark that it is there.
   */
  fillOnce(fill: (articles: Articles, comments: Comments) => Promise<void>): Promise<void>
}
