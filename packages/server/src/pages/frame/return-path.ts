/** Longer ones come from no page of ours. */
const mostCharacters = 2_000

/**
 * Returns a path of this service to go on to, or `/` for everything else. It is compared character by character and not
 * read as a URL first, because what a parser tidies up may become the address of another host: `/.//evil.example`.
 */
export function readReturnPath(text: string | null | undefined): string {
  const isOwn = typeof text === 'string' && text.length <= mostCharacters && ownPath.test(text)
  return isOwn && !leavesHost(text) ? text : '/'
}

/** A single slash, then visible ASCII without a backslash, which browsers read as a slash. */
const ownPath = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/

function leavesHost(path: string): boolean {
  const base = 'https://own.invalid'
  const url = URL.parse(path, base)
  return url === null || url.origin !== base || url.pathname.startsWith('//')
}

/** Returns a path with where to go on to, which is left out where it is the start page. */
export function withReturn(path: string, returnTo: string): string {
  return returnTo === '/' ? path : `${path}?return_to=${encodeURIComponent(returnTo)}`
}

/** Returns a parameter of the query of a request, or `null`. */
export function queryParameter(target: string, name: string): string | null {
  const queryAt = target.indexOf('?')
  return queryAt < 0 ? null : new URLSearchParams(target.slice(queryAt)).get(name)
}
