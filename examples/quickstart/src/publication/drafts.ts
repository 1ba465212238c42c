import type { DraftsOf } from './articles.ts'

/** What a request has to say about its reader. */
export interface Reader {
  readonly identity: { readonly subject: string; readonly kind: 'account' | 'client' } | null
  can(permission: 'articles:publish' | 'articles:read'): boolean
}

/**
 * Whose drafts a reader may see. A draft that may not be seen does not exist, on every path. A third party sees those of
 * its user only where it may read articles at all, and a machine writes none.
 */
export function draftsFor({ identity, can }: Reader): DraftsOf {
  if (can('articles:publish')) return 'everybody'
  const mayHaveOwn = identity?.kind === 'account' && can('articles:read')
  return { subject: mayHaveOwn ? identity.subject : null }
}
