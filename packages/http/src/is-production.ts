declare const process: { readonly env?: { readonly NODE_ENV?: string } } | undefined

/** The values of `NODE_ENV` outside production; unset and empty are the same. */
const otherwise: ReadonlySet<string> = new Set(['', 'development', 'test'])

/**
 * Returns whether this process counts as production, which refuses weaker transport: true unless `NODE_ENV` is
 * `development`, `test`, empty or unset. So `prod`, `staging` and a misspelt `production` are protected too. In
 * runtimes without `process.env`, for example Workers, it returns `false`.
 */
export function isProduction(): boolean {
  return typeof process !== 'undefined' && !otherwise.has(process.env?.NODE_ENV ?? '')
}
