import type { DraftsOf } from './articles.ts'

/** The part of a request's context that describes its reader. */
export interface Reader {
  readonly identity: { readonly subject: string; readonly kind: 'account' | 'client' } | null
  can(permission: 'articles:publish' | 'articles:read'): boolean
}

/**
 * Returns the drafts that a reader may see; all others are treated as missing, on every path. A third party sees the drafts
 * of its user only if it may read articles, and a machine has no drafts.
 */
export function draftsFor({ identity, can }: Reader): DraftsOf {
  if (can('articles:publish')) return 'everybody'
  const mayHaveOwn = identity?.kind === 'account' && can('articles:read')
  return { subject: mayHaveOwn ? identity.subject : null }
}
