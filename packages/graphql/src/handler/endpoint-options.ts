import { checkOptionNames } from '@latchkey/core/internal'
import { checkTrustedDocuments, type TrustedDocumentsOptions } from '../documents/choose-document.ts'
import { readStatusProfile, type StatusProfile } from '../responses/status-profile.ts'
import { longestBatch } from './batch.ts'
import type { RateLimitHook } from './rate-limit-hook.ts'

/** How an endpoint answers, independent of its schema. */
export interface EndpointOptions {
  /** How large a request and its response may be, and how long an operation may take. */
  readonly requestLimits?: {
    /** The most bytes of a body. @default 100000 */
    readonly bodyBytes?: number
    /** The most bytes of path and query, percent-encoded as they are sent. @default 8192 */
    readonly urlBytes?: number
    /**
     * The most bytes of a response, a batch as a whole. Beyond, the code is `RESPONSE_TOO_LARGE`, and nothing is written.
     * @default 10000000
     */
    readonly responseBytes?: number
    /**
     * How long an operation may take once the request is read, in milliseconds. Then the response is 503, and the `signal`
     * in the context of its resolvers is aborted. @default 10000
     */
    readonly executionMs?: number
    /**
     * How many operations one POST may bring as an array, at most 10; each is counted by `rateLimit`. Omitted: an array
     * is rejected.
     */
    readonly batchSize?: number
  }
  /**
   * Called for every request once its identity is known, and before its body is read. What it refuses is answered 429;
   * where it throws, hangs or returns something else, the request is answered 503. Omitted: there is no limit.
   */
  readonly rateLimit?: RateLimitHook
  /**
   * Documents that the service knows and clients ask for by id, in `documentId` or in `extensions.persistedQuery`. They
   * are validated, limited and authorized like any other. Omitted: every document is sent as text.
   */
  readonly trustedDocuments?: TrustedDocumentsOptions
  /**
   * `compatible`, the default, answers a client that accepts only `application/json` 200 for a broken document, as
   * servers have always done. `draft-2026` follows the GraphQL-over-HTTP draft of 2026-08-06: 422 for what is well-formed and
   * cannot be executed, 294 for `data` beside `errors`. Access is refused with the same statuses in both.
   */
  readonly statusProfile?: StatusProfile
}

/**
 * The names of all options of an endpoint: for a service that takes them among its own, to refuse a misspelt one and to pass
 * on no other.
 */
export const endpointOptionNames: { readonly [Name in keyof Required<EndpointOptions>]: true } = {
  requestLimits: true,
  rateLimit: true,
  trustedDocuments: true,
  statusProfile: true,
}

/** `requestLimits` with their defaults. */
export interface RequestLimits {
  readonly bodyBytes: number
  readonly urlBytes: number
  readonly responseBytes: number
  readonly executionMs: number
  readonly batchSize: number | undefined
}

/** The options with their defaults. */
export interface EndpointSettings {
  readonly requestLimits: RequestLimits
  readonly rateLimit: RateLimitHook | undefined
  readonly trustedDocuments: TrustedDocumentsOptions | undefined
  readonly statusProfile: StatusProfile
}

/** @throws TypeError naming the option that cannot be used. */
export function readEndpointOptions(options: EndpointOptions): EndpointSettings {
  const { rateLimit, trustedDocuments } = options
  const requestLimits = readRequestLimits(options.requestLimits)
  if (rateLimit !== undefined && typeof rateLimit !== 'function') throw new TypeError('"rateLimit" must be a function')
  checkTrustedDocuments(trustedDocuments)
  return { requestLimits, rateLimit, trustedDocuments, statusProfile: readStatusProfile(options.statusProfile) }
}

function readRequestLimits(given: EndpointOptions['requestLimits'] = {}): RequestLimits {
  const {
    bodyBytes = 100_000,
    urlBytes = 8_192,
    responseBytes = 10_000_000,
    executionMs = 10_000,
    batchSize,
  } = checkOptionNames('"requestLimits"', given, limitNames)
  for (const [name, limit] of Object.entries({ bodyBytes, urlBytes, responseBytes, executionMs })) {
    if (!Number.isInteger(limit) || limit < 1) {
      throw new TypeError(`"requestLimits.${name}" must be a whole number from 1`)
    }
  }
  if (executionMs > longestTimerMs) {
    throw new TypeError(`"requestLimits.executionMs" must be at most ${longestTimerMs}`)
  }
  if (batchSize !== undefined && !(Number.isInteger(batchSize) && batchSize >= 1 && batchSize <= longestBatch)) {
    throw new TypeError(`"requestLimits.batchSize" must be a whole number from 1 to ${longestBatch}`)
  }
  return { bodyBytes, urlBytes, responseBytes, executionMs, batchSize }
}

const limitNames = { bodyBytes: true, urlBytes: true, responseBytes: true, executionMs: true, batchSize: true } as const

/** A longer timer runs out at once. */
const longestTimerMs = 2_147_483_647
