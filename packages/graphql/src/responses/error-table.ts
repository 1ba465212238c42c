import { type RateLimitPolicy, toRateLimitHeaders } from '@latchkey/rate-limit'
import type { GraphQLError } from 'graphql'
import type { AccessErrorCode } from '../errors.ts'
import { scopeChallenge } from '../refusal.ts'
import type { ResponseMediaType } from './negotiate-media-type.ts'
import type { StatusProfile } from './status-profile.ts'

/** The HTTP status and headers of a code. */
export interface ErrorRow {
  /** The status if the operation was not executed, or if the code refuses a whole answer. */
  readonly status: number
  /** The status for clients that accept only `application/json`: 200, as the draft recommends. */
  readonly jsonStatus?: 200
  /** The status in the profile `draft-2026`, which replaces both. */
  readonly draftStatus?: (facts: Pick<RequestFacts, 'isBodyRead' | 'mediaType'>) => number
  /** The status if the operation needed an identity and had it. */
  readonly statusWithIdentity?: number
  /**
   * The effect of the code during execution: `answer` drops the data, unless an effect has happened; `always` drops it
   * even then; `field` only sets the field to null.
   */
  readonly refuses: 'answer' | 'always' | 'field'
  /** The `WWW-Authenticate` for the status of the row (RFC 9110 §11.6.1), or `null`. */
  readonly challenge?: (error: GraphQLError, facts: RequestFacts) => string | null
  /** `Retry-After` if the error does not have the seconds. */
  readonly retryAfterSeconds?: number
  readonly headers?: (facts: RequestFacts, error: GraphQLError) => Readonly<Record<string, string>>
}

/** The facts of a request that the table uses. */
export interface RequestFacts {
  readonly method: string
  readonly mediaType: ResponseMediaType
  readonly profile: StatusProfile
  /** Whether the body was JSON, or the request had no body. */
  readonly isBodyRead: boolean
  /** Whether a bearer token was presented and refused. */
  readonly isTokenRefused: boolean
  /** Whether the operation reaches a field that is not public. */
  readonly requiresIdentity: boolean
}

const bearer = 'Bearer realm="graphql"'
const unread = { status: 400, jsonStatus: 200, refuses: 'field', draftStatus: () => 400 } as const
const badDocument = { ...unread, draftStatus: () => 422 } as const
/** With `application/json` 200 in every profile, as in the protocol of Apollo's clients, which then send the text. */
const unknownDocument = {
  ...badDocument,
  draftStatus: ({ mediaType }: Pick<RequestFacts, 'mediaType'>) => (mediaType === 'application/json' ? 200 : 422),
}

/**
 * The only place that decides status, `WWW-Authenticate`, `Retry-After` and further headers of each code. The body of a
 * refusal has no `data` key, unless the row `refuses` only the `field`.
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

/** The accepted formats of a request, as headers of the response (RFC 9110 §12.5.1 and §12.5.3). */
const acceptedContent = { accept: 'application/json', 'accept-encoding': 'identity' }

/** 401 has precedence over 403, because the client can act on it. */
const precedence = [401, 403, 405, 429, 503]

/** Returns the code of an error; an unknown code is an internal error. */
export function codeOf(error: GraphQLError): AccessErrorCode {
  const { code } = error.extensions
  return typeof code === 'string' && isAccessErrorCode(code) ? code : 'INTERNAL_SERVER_ERROR'
}

const declaredRows = new WeakMap<GraphQLError, ErrorRow>()

/** Gives an error the row of a code of the application. */
export function setRow(error: GraphQLError, row: ErrorRow): void {
  declaredRows.set(error, row)
}

/** Returns the row of an error: its declared row, or the row of its code. */
export function rowOf(error: GraphQLError): ErrorRow {
  return declaredRows.get(error) ?? errorTable[codeOf(error)]
}

/** Whether the table has a row for this text. */
export function isAccessErrorCode(code: string): code is AccessErrorCode {
  return Object.hasOwn(errorTable, code)
}

/** Returns the status of an error before execution. */
export function statusOf(error: GraphQLError, facts: RequestFacts): number {
  const { status, jsonStatus, draftStatus, statusWithIdentity } = rowOf(error)
  if (draftStatus && facts.profile === 'draft-2026') return draftStatus(facts)
  if (jsonStatus !== undefined && facts.mediaType === 'application/json') return jsonStatus
  return statusWithIdentity !== undefined && facts.requiresIdentity ? statusWithIdentity : status
}

/** Returns the status with the highest precedence. */
export function strongestStatus(statuses: readonly number[]): number {
  return precedence.find((status) => statuses.includes(status)) ?? statuses[0] ?? 500
}

/** Returns the headers of an answer with this status, from the first error that has it. */
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

/** RFC 6750 §3: an error is named only if a token was presented. */
function challengeToken({ extensions }: GraphQLError, { isTokenRefused }: RequestFacts): string {
  return `${isTokenRefused ? `${bearer}, error="invalid_token"` : bearer}${scopeParameter(extensions)}`
}

/** RFC 6750 §3.1. */
function challengeScope({ extensions }: GraphQLError): string | null {
  if (extensions.challenge !== scopeChallenge) return null
  return `${bearer}, error="${scopeChallenge}"${scopeParameter(extensions)}`
}

/** RFC 6749 §3.3: other characters could close the quotes. */
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

/** Only errors of this package have a policy, so the type is known. */
function limitHeaders(_facts: RequestFacts, { extensions }: GraphQLError): Readonly<Record<string, string>> {
  const policy = extensions.policy as RateLimitPolicy | undefined
  return policy ? toRateLimitHeaders({ ok: false, policy, retryAfterSeconds: secondsOf({ extensions }, 60) }) : {}
}

/** A mutation over GET could have been a POST; all other requests could use either. */
function allowedMethods({ method }: RequestFacts): Readonly<Record<string, string>> {
  return { allow: method === 'GET' ? 'POST' : 'GET, POST' }
}

const longestRetrySeconds = 31_536_000

/**
 * Returns the seconds of a `Retry-After` (RFC 9110 §10.2.3): a whole number from 1 to a year; `null` for other values.
 * The value may come from a store or an application.
 */
export function toRetryAfter(seconds: unknown): number | null {
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return null
  return Math.min(Math.max(1, Math.ceil(seconds)), longestRetrySeconds)
}
