/** Whether a URL's hostname is this machine. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

/** Returns whether a text is an `http:` URL on loopback, for development and tests. */
export function isPlainLoopback(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'http:' && isLoopback(url.hostname)
}

/**
 * Returns whether secrets may be sent to a URL: `https:`, or `http:` on loopback with `allowsLoopback`, without user
 * info and fragment.
 */
export function isSecureAddress(
  text: unknown,
  { allowsLoopback }: { readonly allowsLoopback: boolean },
): text is string {
  const url = typeof text === 'string' ? URL.parse(text) : null
  if (url?.username !== '' || url.password !== '' || String(text).includes('#')) return false
  return url.protocol === 'https:' || (allowsLoopback && isPlainLoopback(url.href))
}
