import type { DraftsOf } from './articles.ts'

/** What a request has to say about its reader. */
export interface Reader {
  readonly identity: { readonly subject: string } | null
  can(permission: 'articles:publish'): boolean
}

/** Whose drafts a reader may see. A draft that may not be seen does not exist, on every path. */
export function draftsFor({ identity, can }: Reader): DraftsOf {
  return can('articles:publish') ? 'everybody' : { subject: identity?.subject ?? null }
}
