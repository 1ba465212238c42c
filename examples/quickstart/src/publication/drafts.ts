import type { ServerContext } from '@latchkey/server'
import type { PublicationPolicy } from '../policy.ts'
import type { DraftsOf } from './articles.ts'

export type PublicationContext = ServerContext<PublicationPolicy>

/** Whose drafts this request may see. A draft that may not be seen does not exist, on every path. */
export function draftsFor({ identity, can }: PublicationContext): DraftsOf {
  return can('articles:publish') ? 'everybody' : { subject: identity?.subject ?? null }
}
