/** A rule as a condition for lists. */
export type Filter<Where> =
  | { readonly scope: 'all' }
  | { readonly scope: 'none' }
  | { readonly scope: 'owned'; readonly subject: string; readonly where: Where }
