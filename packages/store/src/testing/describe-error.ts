/** The limit of nested causes: errors of drivers wrap a few others, and causes may form a cycle. */
const mostCauses = 5

/** Returns an error with its code and its causes, as text: `StoreError STORE_UNAVAILABLE: … (caused by Error EPIPE: …)`. */
export function describeError(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error)
  const code = 'code' in error ? ` ${String(error.code)}` : ''
  const own = `${error.name}${code}: ${error.message}`
  if (error.cause === undefined || depth === mostCauses) return own
  return `${own} (caused by ${describeError(error.cause, depth + 1)})`
}
