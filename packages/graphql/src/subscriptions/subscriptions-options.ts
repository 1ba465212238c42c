import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import { type AddressReader, createAddressReader, type HttpResponse, type IdentityReader } from '@latchkey/http'
import type { AnyPolicy, Identity } from '@latchkey/rbac'
import { checkTrustedDocuments } from '../documents/choose-document.ts'
import { checkObserve, checkPublishedScopes } from '../handler/endpoint-options.ts'
import { readFixedHeaders } from '../handler/fixed-headers.ts'
import type { GraphqlHandlerOptions } from '../handler/graphql-handler-options.ts'
import { readStreamLimits, type StreamLimits } from './stream-limits.ts'

export type SubscriptionsOptions = Omit<
  GraphqlHandlerOptions<AnyPolicy>,
  'reidentify' | 'requestLimits' | 'statusProfile'
> & {
  readonly reidentify?: IdentityReader<Identity>
  readonly expiresAt?: (identity: Identity) => number | null
  readonly isRenewable?: (identity: Identity) => Promise<boolean>
  readonly limits?: Partial<StreamLimits>
}

/** The options of `createSubscriptions` once they are checked and have their defaults. */
export interface SubscriptionsSettings extends SubscriptionsOptions {
  readonly reidentify: IdentityReader<Identity>
  readonly expiresAt: (identity: Identity) => number | null
  readonly isRenewable: (identity: Identity) => Promise<boolean>
  readonly addresses: AddressReader
  readonly headers: HttpResponse['headers']
  readonly now: () => number
  readonly limits: StreamLimits
}

/** @throws TypeError naming the option that is not valid. */
export function readSubscriptionsOptions(options: SubscriptionsOptions): SubscriptionsSettings {
  checkOptionNames('createSubscriptions', options, optionNames)
  checkParts(options)
  return {
    ...options,
    reidentify: options.reidentify ?? options.identify,
    expiresAt: options.expiresAt ?? (() => null),
    isRenewable: options.isRenewable ?? (async () => false),
    addresses: options.addresses ?? createAddressReader(),
    headers: readFixedHeaders(options.headers),
    now: options.now ?? wallClock,
    limits: readStreamLimits(options.limits),
  }
}

const optionNames = {
  access: true,
  identify: true,
  forgery: true,
  cookies: true,
  context: true,
  stepUp: true,
  publishedScopes: true,
  translateError: true,
  observe: true,
  addresses: true,
  rateLimit: true,
  trustedDocuments: true,
  headers: true,
  now: true,
  reidentify: true,
  expiresAt: true,
  isRenewable: true,
  limits: true,
} as const

function checkParts(options: SubscriptionsOptions): void {
  const { access, identify, reidentify = identify, rateLimit, trustedDocuments, stepUp } = options
  if (rateLimit !== undefined && typeof rateLimit !== 'function') throw new TypeError('"rateLimit" must be a function')
  if (stepUp !== undefined && typeof stepUp !== 'function')
    throw new TypeError('"stepUp" must be a function or omitted')
  checkTrustedDocuments(trustedDocuments)
  checkObserve(options.observe)
  checkPublishedScopes(options)
  if (typeof access?.prepare !== 'function') throw new TypeError('"access" must come from compileAccess')
  for (const [name, reader] of Object.entries({ identify, reidentify })) {
    if (typeof reader?.read !== 'function') throw new TypeError(`"${name}" must be an IdentityReader`)
  }
}
