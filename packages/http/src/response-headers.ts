import type { HttpResponse } from './http-response.ts'

/** Headers that are queued while a request is handled and sent with its response, an error too. */
export interface ResponseHeaders {
  /**
   * Queues a `Set-Cookie` line, in place of an earlier one for the same cookie (RFC 6265 §4.1.1).
   * @throws TypeError when it is not a cookie, or would break out of its header.
   */
  setCookie(line: string): void
  /**
   * Queues a header, in place of an earlier one of the same name.
   * @throws TypeError when name or value would break out of its header, and for `Set-Cookie`.
   */
  setHeader(name: string, value: string): void
  /** Returns what is queued, for `HttpResponse.headers`. */
  headers(): HttpResponse['headers']
}

/** RFC 9110 §5.6.2 and §5.5: no line breaks. */
const token = /^[\w!#$%&'*+.^`|~-]+$/
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

const none: readonly never[] = Object.freeze([])

/**
 * Creates an empty queue of headers.
 */
export function createResponseHeaders(): ResponseHeaders {
  // Most responses have none of these.
  let cookies: Map<string, string> | null = null
  let others: Map<string, readonly [string, string]> | null = null
  return {
    setCookie(line) {
      const [name = '', value] = line.split('=', 2)
      if (!token.test(name) || value === undefined || !fieldValue.test(line)) {
        throw new TypeError('"line" must be a Set-Cookie line')
      }
      cookies ??= new Map()
      cookies.delete(name)
      cookies.set(name, line)
    },
    setHeader(name, value) {
      const key = name.toLowerCase()
      if (!token.test(name) || key === 'set-cookie')
        throw new TypeError('"name" must be a header other than Set-Cookie')
      if (!fieldValue.test(value)) throw new TypeError('"value" must have no line breaks or control characters')
      others ??= new Map()
      others.set(key, [name, value])
    },
    headers() {
      if (!cookies && !others) return none
      const lines = [...(cookies?.values() ?? [])]
      return [...(others?.values() ?? []), ...lines.map((line) => ['Set-Cookie', line] as const)]
    },
  }
}
