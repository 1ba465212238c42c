/** The headers of a request by their names in lower case, a repeated one joined. */
export type HttpHeaders = ReadonlyMap<string, string>

/**
 * Returns the headers of a `rawHeaders` list. Not `headers`, which drops a repeated `Authorization` or `Content-Type`, and not
 * `headersDistinct`, which some releases of Node.js let throw on a header named `__proto__`.
 */
export function readHeaders(rawHeaders: readonly string[]): HttpHeaders {
  const headers = new Map<string, string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    const value = rawHeaders[index + 1] ?? ''
    const earlier = headers.get(name)
    headers.set(name, earlier === undefined ? value : `${earlier}${name === 'cookie' ? '; ' : ', '}${value}`)
  }
  return headers
}

/** The headers of an invalid request. */
export const noHeaders: HttpHeaders = new Map()
