import { checkTrustedDocuments, type TrustedDocumentsOptions } from '../documents/choose-document.ts'
import { readStatusProfile, type StatusProfile } from '../responses/status-profile.ts'
import { longestBatch } from './batch.ts'
import type { RateLimitHook } from './rate-limit-hook.ts'

/** How an endpoint answers, independent of its schema. */
export interface EndpointOptions {
  /** The most bytes that a body may have. @default 100000 */
  readonly bodyLimitBytes?: number
  /** The most bytes that path and query may have, percent-encoded as they are sent. @default 8192 */
  readonly urlLimitBytes?: number
  /**
   * The most bytes that a reply may have, a batch as a whole. It is decided before the reply is written: beyond, the
   * answer is `REPLY_TOO_LARGE`. @default 10000000
   */
  readonly replyLimitBytes?: number
  /**
   * How long an operation may take once the request is read, in milliseconds: then it is answered 503, and the `signal`
   * in the context of its resolvers is aborted. @default 10000
   */
  readonly executionTimeoutMs?: number
  /**
   * How many operations one POST may bring as an array, at most 10; each is counted by `rateLimit`. Omitted: an array
   * is refused.
   */
  readonly batchLimit?: number
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
  bodyLimitBytes: true,
  urlLimitBytes: true,
  replyLimitBytes: true,
  executionTimeoutMs: true,
  batchLimit: true,
  rateLimit: true,
  trustedDocuments: true,
  statusProfile: true,
}

/** The options with their defaults. */
export interface EndpointSettings {
  readonly bodyLimitBytes: number
  readonly urlLimitBytes: number
  readonly replyLimitBytes: number
  readonly executionTimeoutMs: number
  readonly batchLimit: number | undefined
  readonly rateLimit: RateLimitHook | undefined
  readonly trustedDocuments: TrustedDocumentsOptions | undefined
  readonly statusProfile: StatusProfile
}

/** @throws TypeError naming the option that cannot be used. */
export function readEndpointOptions(options: EndpointOptions): EndpointSettings {
  const { bodyLimitBytes = 100_000, urlLimitBytes = 8_192, replyLimitBytes = 10_000_000 } = options
  const { executionTimeoutMs = 10_000 } = options
  const limits = { bodyLimitBytes, urlLimitBytes, replyLimitBytes, executionTimeoutMs }
  for (const [name, limit] of Object.entries(limits)) {
    if (!Number.isInteger(limit) || limit < 1) throw new TypeError(`"${name}" must be a whole number from 1`)
  }
  if (executionTimeoutMs > longestTimerMs) throw new TypeError(`"executionTimeoutMs" must be at most ${longestTimerMs}`)
  const { batchLimit, rateLimit, trustedDocuments } = options
  if (batchLimit !== undefined && !(Number.isInteger(batchLimit) && batchLimit >= 1 && batchLimit <= longestBatch)) {
    throw new TypeError(`"batchLimit" must be a whole number from 1 to ${longestBatch}`)
  }
  if (rateLimit !== undefined && typeof rateLimit !== 'function') throw new TypeError('"rateLimit" must be a function')
  checkTrustedDocuments(trustedDocuments)
  const statusProfile = readStatusProfile(options.statusProfile)
  return {
    bodyLimitBytes,
    urlLimitBytes,
    replyLimitBytes,
    executionTimeoutMs,
    batchLimit,
    rateLimit,
    trustedDocuments,
    statusProfile,
  }
}

/** A longer timer runs out at once. */
const longestTimerMs = 2_147_483_647
