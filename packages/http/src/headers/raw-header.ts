/**
 * Returns a header of a `rawHeaders` list, a repeated one joined. Not `headers`, which drops a repeated `Authorization` or
 * `Content-Type`, and not `headersDistinct`, which some releases of Node.js let throw on a header named `__proto__`.
 */
export function readRawHeader(rawHeaders: readonly string[], name: string): string | null {
  let found: string | null = null
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const candidate = rawHeaders[index] ?? ''
    if (candidate.length !== name.length || candidate.toLowerCase() !== name) continue
    const value = rawHeaders[index + 1] ?? ''
    found = found === null ? value : `${found}${name === 'cookie' ? '; ' : ', '}${value}`
  }
  return found
}
