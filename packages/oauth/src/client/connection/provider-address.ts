/** Hosts of this machine, as URLs have them. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

/** Returns whether a text is an address on this machine without TLS, for development and tests. */
export function isPlainLoopback(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'http:' && isLoopback(url.hostname)
}

/**
 * Returns whether a text is an address that secrets may be sent to: `https:`, or plain `http:` on loopback where that is
 * allowed; without user info and fragment.
 */
export function isSecureAddress(
  text: unknown,
  { allowsLoopback }: { readonly allowsLoopback: boolean },
): text is string {
  const url = typeof text === 'string' ? URL.parse(text) : null
  if (url?.username !== '' || url.password !== '' || String(text).includes('#')) return false
  return url.protocol === 'https:' || (allowsLoopback && isPlainLoopback(url.href))
}
