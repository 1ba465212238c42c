/**
 * Returns the code or the name of a thrown value, for an event or a log: `ECONNREFUSED`, `STORE_UNAVAILABLE`,
 * `TypeError`. Never its message, which may hold an address, a token or a whole statement.
 */
export function describeFailure(error: unknown): string {
  const { code, name } = error instanceof Error ? (error as { code?: unknown; name: unknown }) : {}
  return [code, name].find(isPlainName) ?? 'unknown'
}

function isPlainName(text: unknown): text is string {
  return typeof text === 'string' && /^\w{1,64}$/.test(text)
}
