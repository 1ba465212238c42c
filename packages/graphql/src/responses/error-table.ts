import { type RateLimitPolicy, toRateLimitHeaders } from '@latchkey/rate-limit'
import type { GraphQLError } from 'graphql'
import type { AccessErrorCode } from '../errors.ts'
import { scopeChallenge } from '../refusal.ts'
import type { ResponseMediaType } from './negotiate-media-type.ts'
import type { StatusProfile } from './status-profile.ts'

/** What one code means over HTTP. */
export interface ErrorRow {
  /** The status where nothing was executed, and where the code refuses a whole answer. */
  readonly status: number
  /** The status instead for a client that knows only `application/json`: 200, as the draft asks for. */
  readonly jsonStatus?: 200
  /** The status instead of both by the profile `draft-2026`. */
  readonly draftStatus?: (facts: Pick<RequestFacts, 'isBodyRead' | 'mediaType'>) => number
  /** The status instead where the operation needed an identity, and it was there. */
  readonly statusWithIdentity?: number
  /**
   * What becomes of the answer when the code is thrown while executing: `answer` drops the data, unless an effect
   * below or beside it stands already; `always` drops it even then; `field` leaves the field null and all else.
   */
  readonly refuses: 'answer' | 'always' | 'field'
  /** The `WWW-Authenticate` that goes with the status of the row (RFC 9110 §11.6.1); `null`: none. */
  readonly challenge?: (error: GraphQLError, facts: RequestFacts) => string | null
  /** `Retry-After` where the error does not name the seconds. */
  readonly retryAfterSeconds?: number
  /** Further headers. */
  readonly headers?: (facts: RequestFacts, error: GraphQLError) => Readonly<Record<string, string>>
}

/** What of a request the table looks at. */
export interface RequestFacts {
  readonly method: string
  readonly mediaType: ResponseMediaType
  readonly profile: StatusProfile
  /** The body was JSON, or there was none to read. */
  readonly isBodyRead: boolean
  /** A bearer token was shown and refused. */
  readonly isTokenRefused: boolean
  /** The operation touches a field that is not public. */
  readonly requiresIdentity: boolean
}

const bearer = 'Bearer realm="graphql"'
const unread = { status: 400, jsonStatus: 200, refuses: 'field', draftStatus: () => 400 } as const
const badDocument = { ...unread, draftStatus: () => 422 } as const
/** With `application/json` 200 by every profile: the protocol of Apollo's clients, who then send the text. */
const unknownDocument = {
  ...badDocument,
  draftStatus: ({ mediaType }: Pick<RequestFacts, 'mediaType'>) => (mediaType === 'application/json' ? 200 : 422),
}

/**
 * Code → status, `WWW-Authenticate`, `Retry-After` and further headers. No other file decides them. A body
 * without the `data` key goes with every refusal; a body with it where the row `refuses` only the `field`.
 */
export const errorTable: Readonly<Record<AccessErrorCode, ErrorRow>> = {
  UNAUTHENTICATED: { status: 401, refuses: 'answer', challenge: challengeToken },
  STEP_UP_REQUIRED: { status: 401, refuses: 'answer', challenge: challengeStepUp },
  INVALID_CREDENTIALS: { status: 401, statusWithIdentity: 403, refuses: 'answer', challenge: () => bearer },
  FORBIDDEN: { status: 403, refuses: 'answer', challenge: challengeScope },
  CSRF_REJECTED: { status: 403, refuses: 'answer' },
  RATE_LIMITED: { status: 429, refuses: 'answer', retryAfterSeconds: 60, headers: limitHeaders },
  SERVICE_UNAVAILABLE: { status: 503, refuses: 'always', retryAfterSeconds: 5 },
  INTERNAL_SERVER_ERROR: { status: 500, refuses: 'field' },
  MISDIRECTED_REQUEST: { status: 421, refuses: 'field' },
  METHOD_NOT_ALLOWED: { status: 405, refuses: 'field', headers: allowedMethods },
  URI_TOO_LONG: { status: 414, refuses: 'field' },
  NOT_ACCEPTABLE: { status: 406, refuses: 'field' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, refuses: 'field', headers: () => acceptedContent },
  PAYLOAD_TOO_LARGE: { status: 413, refuses: 'field' },
  BAD_REQUEST: { status: 400, refuses: 'field', draftStatus: ({ isBodyRead }) => (isBodyRead ? 422 : 400) },
  GRAPHQL_PARSE_FAILED: unread,
  GRAPHQL_VALIDATION_FAILED: badDocument,
  QUERY_LIMIT_EXCEEDED: badDocument,
  RESPONSE_TOO_LARGE: badDocument,
  OPERATION_RESOLUTION_FAILURE: badDocument,
  PERSISTED_QUERY_NOT_FOUND: unknownDocument,
  PERSISTED_QUERY_NOT_SUPPORTED: unknownDocument,
  PERSISTED_QUERY_ONLY: badDocument,
  BAD_USER_INPUT: badDocument,
  NOT_FOUND: badDocument,
}

/** RFC 9110 §12.5.1 and §12.5.3: in an answer these say what a request may hold. */
const acceptedContent = { accept: 'application/json', 'accept-encoding': 'identity' }

/** 401 wins over 403: it is the one that the client can act on. */
const precedence = [401, 403, 405, 429, 503]

/** Returns the code of an error; one that is not in the table is an internal error. */
export function codeOf(error: GraphQLError): AccessErrorCode {
  const { code } = error.extensions
  return typeof code === 'string' && isAccessErrorCode(code) ? code : 'INTERNAL_SERVER_ERROR'
}

const declaredRows = new WeakMap<GraphQLError, ErrorRow>()

/** Gives an error the row of a code of the application. */
export function setRow(error: GraphQLError, row: ErrorRow): void {
  declaredRows.set(error, row)
}

/** Returns the row of an error: that of its code, or the one it was given. */
export function rowOf(error: GraphQLError): ErrorRow {
  return declaredRows.get(error) ?? errorTable[codeOf(error)]
}

/** Whether the table has a row for this text. */
export function isAccessErrorCode(code: string): code is AccessErrorCode {
  return Object.hasOwn(errorTable, code)
}

/** Returns the status of one error where nothing was executed. */
export function statusOf(error: GraphQLError, facts: RequestFacts): number {
  const { status, jsonStatus, draftStatus, statusWithIdentity } = rowOf(error)
  if (draftStatus && facts.profile === 'draft-2026') return draftStatus(facts)
  if (jsonStatus !== undefined && facts.mediaType === 'application/json') return jsonStatus
  return statusWithIdentity !== undefined && facts.requiresIdentity ? statusWithIdentity : status
}

/** Returns the one status of several errors. */
export function strongestStatus(statuses: readonly number[]): number {
  return precedence.find((status) => statuses.includes(status)) ?? statuses[0] ?? 500
}

/** Returns the headers of an answer with this status, from the first error that asks for it. */
export function headersOf(error: GraphQLError, status: number, facts: RequestFacts): Readonly<Record<string, string>> {
  const { challenge, retryAfterSeconds, headers, status: ownStatus } = rowOf(error)
  const challenged = status === ownStatus ? (challenge?.(error, facts) ?? null) : null
  return {
    ...headers?.(facts, error),
    ...(challenged !== null && { 'www-authenticate': challenged }),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(secondsOf(error, retryAfterSeconds)) }),
  }
}

function secondsOf({ extensions: { retryAfterSeconds } }: Pick<GraphQLError, 'extensions'>, otherwise: number): number {
  return toRetryAfter(retryAfterSeconds) ?? otherwise
}

/** RFC 6750 §3: an error is named only where a token was shown. */
function challengeToken({ extensions }: GraphQLError, { isTokenRefused }: RequestFacts): string {
  return `${isTokenRefused ? `${bearer}, error="invalid_token"` : bearer}${scopeParameter(extensions)}`
}

/** RFC 6750 §3.1. */
function challengeScope({ extensions }: GraphQLError): string | null {
  if (extensions.challenge !== scopeChallenge) return null
  return `${bearer}, error="${scopeChallenge}"${scopeParameter(extensions)}`
}

/** RFC 6749 §3.3: anything else would break out of the quotes. */
const scopeToken = /^[\x21\x23-\x5B\x5D-\x7E]+$/

function scopeParameter({ scopes }: GraphQLError['extensions']): string {
  const names = Array.isArray(scopes) ? scopes.filter((name) => typeof name === 'string' && scopeToken.test(name)) : []
  return names.length === 0 ? '' : `, scope="${names.join(' ')}"`
}

/** RFC 9470 §3. */
function challengeStepUp({ extensions: { maxAgeSeconds } }: GraphQLError): string {
  const challenge = `${bearer}, error="insufficient_user_authentication"`
  return Number.isFinite(maxAgeSeconds) ? `${challenge}, max_age="${Math.floor(Number(maxAgeSeconds))}"` : challenge
}

/** Only an error of this package's making has a policy, so it is one. */
function limitHeaders(_facts: RequestFacts, { extensions }: GraphQLError): Readonly<Record<string, string>> {
  const policy = extensions.policy as RateLimitPolicy | undefined
  return policy ? toRateLimitHeaders({ ok: false, policy, retryAfterSeconds: secondsOf({ extensions }, 60) }) : {}
}

/** A mutation over GET could have been a POST; everything else could have been either. */
function allowedMethods({ method }: RequestFacts): Readonly<Record<string, string>> {
  return { allow: method === 'GET' ? 'POST' : 'GET, POST' }
}

const longestRetrySeconds = 31_536_000

/**
 * Returns the seconds of a `Retry-After` (RFC 9110 §10.2.3): whole, from 1 to a year; `null` for what is not a number of
 * seconds. What names them may come from outside, a store or an application.
 */
export function toRetryAfter(seconds: unknown): number | null {
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return null
  return Math.min(Math.max(1, Math.ceil(seconds)), longestRetrySeconds)
}
