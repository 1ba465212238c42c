import { checkOptionNames } from '@latchkey/core/internal'
import type { AnyPolicy } from '@latchkey/rbac'
import { checkTrustedDocuments, type TrustedDocumentsOptions } from '../documents/choose-document.ts'
import { readStatusProfile, type StatusProfile } from '../responses/status-profile.ts'
import { longestBatch } from './batch.ts'
import type { GraphqlHandlerOptions } from './graphql-handler-options.ts'
import type { RateLimitHook } from './rate-limit-hook.ts'

/** The options of an endpoint that do not depend on its schema. */
export type EndpointOptions = Pick<
  GraphqlHandlerOptions<AnyPolicy>,
  'requestLimits' | 'rateLimit' | 'trustedDocuments' | 'statusProfile'
>

/** The names of all options of an endpoint, for a service that includes them in its own options. */
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
  readonly introspectionBytes: number
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

/** @throws TypeError naming the option that is not valid. */
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
    introspectionBytes = 50_000_000,
    executionMs = 10_000,
    batchSize,
  } = checkOptionNames('"requestLimits"', given, limitNames)
  for (const [name, limit] of Object.entries({ bodyBytes, urlBytes, responseBytes, introspectionBytes, executionMs })) {
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
  return { bodyBytes, urlBytes, responseBytes, introspectionBytes, executionMs, batchSize }
}

const limitNames = {
  bodyBytes: true,
  urlBytes: true,
  responseBytes: true,
  introspectionBytes: true,
  executionMs: true,
  batchSize: true,
} as const

/** Longer timers fire at once. */
const longestTimerMs = 2_147_483_647

const optionNames = {
  ...endpointOptionNames,
  access: true,
  identify: true,
  reidentify: true,
  forgery: true,
  cookies: true,
  context: true,
  stepUp: true,
  publishedScopes: true,
  translateError: true,
  observe: true,
  addresses: true,
  headers: true,
  now: true,
} as const

/** @throws TypeError naming the option that is not valid. */
export function checkHandlerOptions(options: GraphqlHandlerOptions<AnyPolicy>): void {
  checkOptionNames('createGraphqlHandler', options, optionNames)
  if (typeof options.access?.prepare !== 'function') throw new TypeError('"access" must come from compileAccess')
  checkFunctions({ stepUp: options.stepUp })
  checkPublishedScopes(options)
  checkObserve(options.observe)
  const { identify, reidentify = identify } = options
  for (const [name, reader] of Object.entries({ identify, reidentify })) {
    if (typeof reader?.read !== 'function') throw new TypeError(`"${name}" must be an IdentityReader`)
  }
}

/** @throws TypeError unless the scopes are strings, or omitted. */
export function checkPublishedScopes({
  publishedScopes: names = [],
}: Pick<GraphqlHandlerOptions<AnyPolicy>, 'publishedScopes'>): void {
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return
  throw new TypeError('"publishedScopes" must be a list of scopes or omitted')
}

/** @throws TypeError naming the member of `observe` that is not valid. */
export function checkObserve(given: GraphqlHandlerOptions<AnyPolicy>['observe'] = {}): void {
  const { onEvent, onMeasurement, traceExecution, requestId } = checkOptionNames('"observe"', given, observeNames)
  checkFunctions({
    'observe.onEvent': onEvent,
    'observe.onMeasurement': onMeasurement,
    'observe.traceExecution': traceExecution,
    'observe.requestId': requestId,
  })
}

const observeNames = { onEvent: true, onMeasurement: true, traceExecution: true, requestId: true } as const

function checkFunctions(given: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined && typeof value !== 'function') {
      throw new TypeError(`"${name}" must be a function or omitted`)
    }
  }
}
