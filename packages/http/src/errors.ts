/**
 * Why something from outside was refused.
 *
 * - `HTTP_BODY_TOO_LARGE` (413): the body has more bytes than the limit. Reading stopped there.
 * - `HTTP_BODY_INVALID` (400): the body is not well-formed UTF-8.
 * - `HTTP_BODY_ABORTED` (400): the client went away, or the connection failed, before the body was complete.
 * - `HTTP_BODY_ALREADY_READ` (500): a body parser of the application read the body first, or it was asked for twice.
 * - `HTTP_RATE_LIMITED` (429): the address has taken more than its share, and the request did not have its turn in time.
 */
export type HttpErrorCode =
  | 'HTTP_BODY_TOO_LARGE'
  | 'HTTP_BODY_INVALID'
  | 'HTTP_BODY_ABORTED'
  | 'HTTP_BODY_ALREADY_READ'
  | 'HTTP_RATE_LIMITED'

const statuses: Readonly<Record<HttpErrorCode, number>> = {
  HTTP_BODY_TOO_LARGE: 413,
  HTTP_BODY_INVALID: 400,
  HTTP_BODY_ABORTED: 400,
  HTTP_BODY_ALREADY_READ: 500,
  HTTP_RATE_LIMITED: 429,
}

/**
 * Says why a request's body could not be given. `code` is the contract, the message is for the log. A handler that lets
 * it through is answered with `status` and an empty body.
 *
 * @example
 * import { type HttpRequest, isHttpError } from '@latchkey/http'
 * async function readText(request: HttpRequest): Promise<string | null> {
 *   try {
 *     return await request.body(100_000)
 *   } catch (error) {
 *     if (isHttpError(error) && error.code === 'HTTP_BODY_TOO_LARGE') return null
 *     throw error
 *   }
 * }
 */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly code: HttpErrorCode
  /** The HTTP status of the response: 400, 413, 429 or 500. */
  readonly status: number

  constructor(code: HttpErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.status = statuses[code]
  }
}

/**
 * Returns whether an error is an `HttpError`, judged by its name and code: also one of another copy of this package, which
 * made the request that could not be read.
 *
 * @example
 * import { isHttpError } from '@latchkey/http'
 * const statusOf = (error: unknown) => (isHttpError(error) ? error.status : 500)
 */
export function isHttpError(error: unknown): error is HttpError {
  return error instanceof Error && error.name === 'HttpError' && String((error as HttpError).code) in statuses
}
