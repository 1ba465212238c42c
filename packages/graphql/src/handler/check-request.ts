import type { HttpRequest } from '@latchkey/http'
import { AccessError, type AccessErrorDetails } from '../errors.ts'
import { isLikeAscii, isUtf8, parseMediaType } from '../responses/media-type.ts'
import { acceptsEvents, type ResponseMediaType } from '../responses/negotiate-media-type.ts'

interface CheckedRequest {
  readonly request: HttpRequest
  /** The media type that `Accept` allows; `null`: no supported type. */
  readonly accepted: ResponseMediaType | null
}

/**
 * Refuses requests that are invalid for any identity and body, in the order of the table: method, URL, `Accept`,
 * content type and coding.
 *
 * @throws AccessError `METHOD_NOT_ALLOWED`, `URI_TOO_LONG`, `NOT_ACCEPTABLE`, `UNSUPPORTED_MEDIA_TYPE`
 */
export function checkRequest({ request, accepted }: CheckedRequest, urlBytes: number): void {
  if (!isRead(request) && request.method !== 'POST') throw new AccessError('METHOD_NOT_ALLOWED')
  // One character is one byte: Node.js refuses a target that is not ASCII, and Fetch percent-encodes it.
  if (request.target.length > urlBytes) throw new AccessError('URI_TOO_LONG')
  if (!accepted) throw new AccessError('NOT_ACCEPTABLE', streamOf(request))
  if (request.method === 'POST') checkContent(request)
}

/** Names the path of server-sent events to a client that accepts them. */
function streamOf({ headers, target }: HttpRequest): AccessErrorDetails {
  if (!acceptsEvents(headers.get('accept') ?? null)) return {}
  const [path = ''] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)
  return { message: `Server-sent events are sent at ${path.replace(/\/$/, '')}/stream. Subscribe there.` }
}

/** Whether the method is GET or HEAD. The adapters omit the body of responses to HEAD. */
export function isRead({ method }: Pick<HttpRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD'
}

/**
 * Refuses a body that is not plain JSON in UTF-8.
 *
 * @throws AccessError `UNSUPPORTED_MEDIA_TYPE`
 */
export function checkContent(request: HttpRequest): void {
  if (!isJson(request.headers.get('content-type') ?? '')) throw new AccessError('UNSUPPORTED_MEDIA_TYPE')
  const coding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (coding !== '' && coding !== 'identity') throw new AccessError('UNSUPPORTED_MEDIA_TYPE')
}

/** Most clients send exactly this text. */
function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true
  const mediaType = parseMediaType(contentType)
  return mediaType?.type === 'application/json' && isLikeAscii(mediaType)
}

/**
 * Refuses a text whose bytes have another meaning in the charset of the request.
 *
 * @throws AccessError `UNSUPPORTED_MEDIA_TYPE`
 */
export function checkCharset({ headers }: HttpRequest, text: string): void {
  const contentType = headers.get('content-type') ?? ''
  if (contentType === 'application/json') return
  const mediaType = parseMediaType(contentType)
  if (mediaType && !isUtf8(mediaType) && /[^\0-\x7f]/.test(text)) throw new AccessError('UNSUPPORTED_MEDIA_TYPE')
}
