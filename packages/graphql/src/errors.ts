import type { RateLimitPolicy } from '@latchkey/rate-limit'

/**
 * The code of a refusal, in `extensions.code`. Clients decide by the code; messages may change.
 *
 * | Code | Meaning | What to do |
 * |---|---|---|
 * | `UNAUTHENTICATED` | no verified identity, and the operation touches a field that is not public | sign in, or renew the token |
 * | `FORBIDDEN` | the identity is verified and may not do this | nothing: asking again does not help |
 * | `STEP_UP_REQUIRED` | a factor is missing or was shown too long ago (RFC 9470) | show the factor, ask again |
 * | `CSRF_REJECTED` | the request was not proven to come from an allowed page | send `x-csrf-token`, from an allowed origin |
 * | `INVALID_CREDENTIALS` | a secret is wrong, without saying which | ask the user again |
 * | `BAD_USER_INPUT` | a value was refused; `field` may name it | correct the value |
 * | `NOT_FOUND` | the object does not exist, or not for this identity | |
 * | `RATE_LIMITED` | too many attempts | wait for `Retry-After` |
 * | `SERVICE_UNAVAILABLE` | overload, an unreachable store, or shutting down | wait for `Retry-After` |
 * | `INTERNAL_SERVER_ERROR` | something unexpected; the `id` is in the log | report the id to the operator |
 * | `MISDIRECTED_REQUEST` | the request is for a host that is not served here | use the address of the service, or let it serve the host |
 * | `METHOD_NOT_ALLOWED` | neither GET nor POST, or a mutation over GET | use POST |
 * | `UNSUPPORTED_MEDIA_TYPE` | the body is not plain `application/json` in UTF-8 | correct `Content-Type`, send it uncompressed |
 * | `NOT_ACCEPTABLE` | `Accept` allows neither media type of GraphQL | accept `application/graphql-response+json` |
 * | `PAYLOAD_TOO_LARGE` | the body is over the limit | send less |
 * | `URI_TOO_LONG` | the URL is over the limit | use POST |
 * | `BAD_REQUEST` | broken JSON, wrong types of parameters, no `query` | correct the request |
 * | `GRAPHQL_PARSE_FAILED` | the document is not GraphQL | correct the document |
 * | `GRAPHQL_VALIDATION_FAILED` | the document does not fit the schema | correct the document |
 * | `QUERY_LIMIT_EXCEEDED` | the document asks for too much | ask for less |
 * | `RESPONSE_TOO_LARGE` | the response would be over the limit | ask for less; a mutation has happened |
 * | `OPERATION_RESOLUTION_FAILURE` | the operation to run is not there or not named | send `operationName` |
 * | `PERSISTED_QUERY_NOT_FOUND` | no trusted document has this id | send the text, or deploy the document first |
 * | `PERSISTED_QUERY_NOT_SUPPORTED` | the service has no trusted documents | send the text |
 * | `PERSISTED_QUERY_ONLY` | only trusted documents are answered here | send the id of one |
 */
export type AccessErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'STEP_UP_REQUIRED'
  | 'CSRF_REJECTED'
  | 'INVALID_CREDENTIALS'
  | 'BAD_USER_INPUT'
  | 'NOT_FOUND'
  | 'RATE_LIMITED'
  | 'SERVICE_UNAVAILABLE'
  | 'INTERNAL_SERVER_ERROR'
  | 'MISDIRECTED_REQUEST'
  | 'METHOD_NOT_ALLOWED'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'NOT_ACCEPTABLE'
  | 'PAYLOAD_TOO_LARGE'
  | 'URI_TOO_LONG'
  | 'BAD_REQUEST'
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'QUERY_LIMIT_EXCEEDED'
  | 'RESPONSE_TOO_LARGE'
  | 'OPERATION_RESOLUTION_FAILURE'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PERSISTED_QUERY_NOT_SUPPORTED'
  | 'PERSISTED_QUERY_ONLY'

/** Details of a refusal. All except `cause` are sent to the client, so they must not be secret. */
export interface AccessErrorDetails {
  /** Replaces the default message of the code. Sent to the client unchanged. */
  readonly message?: string
  /** `BAD_USER_INPUT`: the refused input, as a path into the arguments, for example `input.email`. */
  readonly field?: string
  /** `RATE_LIMITED`, `SERVICE_UNAVAILABLE`: seconds until the next attempt; also the `Retry-After` header. */
  readonly retryAfterSeconds?: number
  /**
   * `STEP_UP_REQUIRED`: the value that the client returns with its proof, from the option `stepUp` of the handler.
   * Without this option, or if only the first factor can be presented again, it is `insufficient_user_authentication`,
   * the value that the header always has (RFC 9470 §3). `FORBIDDEN`: `insufficient_scope` if the grant of a third party
   * has too few scopes (RFC 6750 §3.1); also in the header.
   */
  readonly challenge?: string
  /**
   * `UNAUTHENTICATED`, and `FORBIDDEN` with the challenge `insufficient_scope`: all scopes that the operation needs,
   * including the scopes of the grant; also in the header. Only with the handler's option `publishedScopes`.
   */
  readonly scopes?: readonly string[]
  /**
   * `FORBIDDEN`: `enrollment-required` if the account must enroll a second factor first, `impersonated` if only the
   * owner of the account may do this and an administrator acts for the account, `api-key` if the field refuses API
   * keys, `own-pages` if the field is only for the pages of the service and a client of the service requested it.
   */
  readonly reason?: 'enrollment-required' | 'impersonated' | 'api-key' | 'own-pages'
  /**
   * `STEP_UP_REQUIRED`: the kinds of factors that are accepted. The refusal of a rule lists the enrolled factors of the
   * account. Without an enrolled factor, and if the first factor is enough, it lists the first factor.
   */
  readonly factors?: readonly string[]
  /** `STEP_UP_REQUIRED`: the maximum age of the factor; the strictest of several rules. Also in the header. */
  readonly maxAgeSeconds?: number
  /**
   * `RATE_LIMITED`: the exceeded limit of `@latchkey/rate-limit`, also for the headers `RateLimit-Policy` and
   * `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10).
   */
  readonly policy?: RateLimitPolicy
  /** The underlying error, for the log. Never sent. */
  readonly cause?: unknown
}

const messages: Readonly<Record<AccessErrorCode, string>> = {
  UNAUTHENTICATED: 'Sign in to do this.',
  FORBIDDEN: 'You do not have permission to do this.',
  STEP_UP_REQUIRED: 'Confirm your identity to do this.',
  CSRF_REJECTED: 'The request could not be verified. Send it from an allowed origin.',
  INVALID_CREDENTIALS: 'The credentials are incorrect.',
  BAD_USER_INPUT: 'The input is not valid.',
  NOT_FOUND: 'The object was not found.',
  RATE_LIMITED: 'Too many attempts. Try again later.',
  SERVICE_UNAVAILABLE: 'The service is unavailable. Try again later.',
  INTERNAL_SERVER_ERROR: 'Something went wrong on our end. Try again later.',
  MISDIRECTED_REQUEST: 'This service does not serve the requested host.',
  METHOD_NOT_ALLOWED: 'This method is not allowed. Use a method from the Allow header.',
  UNSUPPORTED_MEDIA_TYPE: 'The request body must be uncompressed application/json in UTF-8.',
  NOT_ACCEPTABLE: 'The Accept header must allow application/graphql-response+json or application/json.',
  PAYLOAD_TOO_LARGE: 'The request body is too large.',
  URI_TOO_LONG: 'The URL is too long. Send the request with POST.',
  BAD_REQUEST: 'The request is malformed.',
  GRAPHQL_PARSE_FAILED: 'The document is not valid GraphQL.',
  GRAPHQL_VALIDATION_FAILED: 'The document is not valid for this schema.',
  QUERY_LIMIT_EXCEEDED: 'The document exceeds a limit. Request less.',
  RESPONSE_TOO_LARGE: 'The response would be too large. Request less.',
  OPERATION_RESOLUTION_FAILURE: 'The operation was not found. Set operationName to an operation of the document.',
  // Apollo's clients for Kotlin and iOS compare these two.
  PERSISTED_QUERY_NOT_FOUND: 'PersistedQueryNotFound',
  PERSISTED_QUERY_NOT_SUPPORTED: 'PersistedQueryNotSupported',
  PERSISTED_QUERY_ONLY: 'Only trusted documents are accepted. Send the ID of a trusted document.',
}

/**
 * Refuses a request from a resolver, a loader or the application's context. The handler responds with the status, the
 * body and the headers of the code; all other errors are masked.
 *
 * The error decides the status of the whole answer, so throw it before the effect of a mutation.
 *
 * @param code see {@link AccessErrorCode}.
 * @param details further facts for the client; `cause` stays on the server.
 *
 * @example
 * import { AccessError } from '@latchkey/graphql'
 * throw new AccessError('BAD_USER_INPUT', { field: 'input.title', message: 'A title has at most 200 characters.' })
 */
export class AccessError extends Error {
  override readonly name = 'AccessError'
  readonly code: AccessErrorCode
  /** The code and the details, as sent to the client. GraphQL copies `extensions` to the located error. */
  readonly extensions: Readonly<Record<string, unknown>>

  constructor(code: AccessErrorCode, details: AccessErrorDetails = {}) {
    const { message, cause, ...shown } = details
    super(message ?? messages[code], cause === undefined ? undefined : { cause })
    this.code = code
    this.extensions = { code, ...shown }
  }
}

/**
 * Returns whether an error is an `AccessError`, by its name and code. It may come from another copy of this package,
 * for example from a library whose resolvers are part of the schema.
 *
 * @example
 * import { isAccessError } from '@latchkey/graphql'
 * const isAbsent = (error: unknown) => isAccessError(error) && error.code === 'NOT_FOUND'
 */
export function isAccessError(error: unknown): error is AccessError {
  if (!(error instanceof Error) || error.name !== 'AccessError') return false
  const { code, extensions } = error as Partial<AccessError>
  return typeof code === 'string' && Object.hasOwn(messages, code) && extensions?.code === code
}

/** A resource for the answer is unavailable: 503, with the reason only in the log. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError'
}
