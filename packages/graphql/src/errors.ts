import type { RateLimitPolicy } from '@latchkey/rate-limit'

/**
 * What a refusal is called in `extensions.code`. Clients decide by it; messages may change.
 *
 * | Code | Meaning | What to do |
 * |---|---|---|
 * | `UNAUTHENTICATED` | no verified identity, and the operation touches a field that is not public | sign in, or renew the token |
 * | `FORBIDDEN` | the identity is verified and may not do this | nothing: asking again does not help |
 * | `STEP_UP_REQUIRED` | a factor is missing or was shown too long ago (RFC 9470) | show the factor, ask again |
 * | `CSRF_REJECTED` | the request was not proven to come from an allowed page | send `x-csrf-token`, from an allowed origin |
 * | `INVALID_CREDENTIALS` | a shown secret is wrong; which part, is not said | ask the user again |
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

/** What may stand beside a code. All but `cause` is sent to the client, so none of it may be secret. */
export interface AccessErrorDetails {
  /** Replaces the code's own sentence. It is sent to the client as it is. */
  readonly message?: string
  /** `BAD_USER_INPUT`: which input was refused, as a path into the arguments, for example `input.email`. */
  readonly field?: string
  /** `RATE_LIMITED`, `SERVICE_UNAVAILABLE`: seconds until another try makes sense; also the `Retry-After` header. */
  readonly retryAfterSeconds?: number
  /**
   * `STEP_UP_REQUIRED`: what the client sends with its proof, from the option `stepUp` of the handler; without one, and where
   * only the first factor can be shown again, `insufficient_user_authentication`, which the header always has (RFC 9470 §3).
   * `FORBIDDEN`: `insufficient_scope` where a grant to a third party names too few scopes (RFC 6750 §3.1); also in the header.
   */
  readonly challenge?: string
  /**
   * `UNAUTHENTICATED`, and `FORBIDDEN` with the challenge `insufficient_scope`: the scopes that a grant needs for the operation, including
   * those that it has; also in the header. Only with `publishedScopes` of the handler.
   */
  readonly scopes?: readonly string[]
  /**
   * `FORBIDDEN`: `enrollment-required` where the account has to set up a second factor before anything else, `impersonated` where
   * an administrator acts as the account and this is its owner's alone, `api-key` if an API key was shown for such a field,
   * `own-pages` where a client of the service itself asks for what users do on the pages of the service only.
   */
  readonly reason?: 'enrollment-required' | 'impersonated' | 'api-key' | 'own-pages'
  /**
   * `STEP_UP_REQUIRED`: the kinds of factors that would do. A rule's refusal names those that the account has enrolled;
   * without any, and where the first factor is enough, that one.
   */
  readonly factors?: readonly string[]
  /** `STEP_UP_REQUIRED`: how old the factor may be at most; of several rules the strictest. Also in the header. */
  readonly maxAgeSeconds?: number
  /**
   * `RATE_LIMITED`: the limit that was exceeded, as `@latchkey/rate-limit` names it, for the headers `RateLimit-Policy` and
   * `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10), too.
   */
  readonly policy?: RateLimitPolicy
  /** What went wrong underneath: for the log, never sent. */
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
 * Refuses from anywhere: a resolver, a loader, the application's context. The handler turns the code into the status,
 * the body and the headers that its table has for it; any other error is masked.
 *
 * The status of a whole answer is decided by it, so in a mutation throw before the effect.
 *
 * @param code what happened, from the documented union.
 * @param details what the client needs beside the code; `cause` stays on the server.
 *
 * @example
 * import { AccessError } from '@latchkey/graphql'
 * throw new AccessError('BAD_USER_INPUT', { field: 'input.title', message: 'A title has at most 200 characters.' })
 */
export class AccessError extends Error {
  override readonly name = 'AccessError'
  readonly code: AccessErrorCode
  /** The code and the details, as the client gets them. GraphQL copies them to the located error by this name. */
  readonly extensions: Readonly<Record<string, unknown>>

  constructor(code: AccessErrorCode, details: AccessErrorDetails = {}) {
    const { message, cause, ...shown } = details
    super(message ?? messages[code], cause === undefined ? undefined : { cause })
    this.code = code
    this.extensions = { code, ...shown }
  }
}

/**
 * Returns whether an error is an `AccessError`, judged by its name and code: also one of another copy of this package, such
 * as that of a library whose resolvers are part of the schema.
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

/** Something that an answer needs cannot be had: 503, with the reason in the log only. */
export class UnavailableError extends Error {
  override readonly name: string = 'UnavailableError'
}
