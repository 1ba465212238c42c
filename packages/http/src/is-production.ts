declare const process: { readonly env?: { readonly NODE_ENV?: string } } | undefined

/** What `NODE_ENV` says where nobody is to be protected; unset and empty are the same. */
const otherwise: ReadonlySet<string> = new Set(['', 'development', 'test'])

/**
 * Tells whether this process counts as production, where weaker transport is refused: whenever `NODE_ENV` is anything
 * but `development`, `test`, empty or unset. A misspelt `production`, `prod` or `staging` so takes nothing away.
 *
 * Runtimes without `process.env`, such as Workers, count as not told.
 *
 * @example
 * import { isProduction } from '@latchkey/http'
 * const showsDetails = !isProduction()
 */
export function isProduction(): boolean {
  return typeof process !== 'undefined' && !otherwise.has(process.env?.NODE_ENV ?? '')
}
