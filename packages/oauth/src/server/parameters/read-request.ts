import type { HttpRequest } from '@latchkey/http'
import { type Parameters, parseParameters } from './parameters.ts'

/** The longest form or query, in bytes: longer than any valid request. */
const longest = 32_768

/** Returns the path of a request's target, without its query. */
export function pathOf({ target }: Pick<HttpRequest, 'target'>): string {
  const [path = ''] = target.split('?', 1)
  return path
}

/** Returns the parameters of a request's query; `null`: it has too many parameters or is too long. */
export function readQuery({ target }: Pick<HttpRequest, 'target'>): Parameters | null {
  const start = target.indexOf('?')
  const query = start < 0 ? '' : target.slice(start + 1)
  return query.length > longest ? null : parseParameters(query)
}

/** Whether a request's target has a query, also if it is empty. */
export function hasQuery({ target }: Pick<HttpRequest, 'target'>): boolean {
  return target.includes('?')
}

const formType = /^application\/x-www-form-urlencoded(?:\s*;\s*charset\s*=\s*"?(utf-?8|iso-8859-1|us-ascii)"?)?\s*$/i
/** A character or an escape beyond ASCII, which the accepted charsets decode differently. */
const beyondAscii = /[^\0-\x7f]|%[89a-f]/i

/**
 * Returns the parameters of a posted form; `null`: another media type, a charset with another meaning, or too many
 * parameters.
 *
 * @throws HttpError `HTTP_BODY_TOO_LARGE`, `HTTP_BODY_INVALID`, `HTTP_BODY_ABORTED`.
 */
export async function readForm(request: HttpRequest): Promise<Parameters | null> {
  const [type, charset = 'utf-8'] = formType.exec(request.headers.get('content-type') ?? '') ?? []
  if (type === undefined) return null
  const text = await request.body(longest)
  return /^utf/i.test(charset) || !beyondAscii.test(text) ? parseParameters(text) : null
}
