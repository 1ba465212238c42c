import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import { type AddressReader, createAddressReader, type HttpReply, type IdentityReader } from '@latchkey/http'
import type { AnyPolicy, Identity } from '@latchkey/rbac'
import { checkTrustedDocuments } from '../documents/choose-document.ts'
import { readFixedHeaders } from '../handler/fixed-headers.ts'
import { checkObserve, type GraphqlHandlerOptions } from '../handler/graphql-handler-options.ts'
import { readStreamLimits, type StreamLimits } from './stream-limits.ts'

export interface SubscriptionsOptions<P extends AnyPolicy>
  extends Pick<
    GraphqlHandlerOptions<P>,
    | 'access'
    | 'identify'
    | 'forgery'
    | 'cookies'
    | 'context'
    | 'stepUp'
    | 'translateError'
    | 'observe'
    | 'addresses'
    | 'rateLimit'
    | 'trustedDocuments'
    | 'headers'
    | 'now'
  > {
  /**
   * Reads an identity again while its streams are open. Use a reader that does not count as a use of the session:
   * otherwise an open stream keeps an idle session alive.
   *
   * @default identify
   */
  readonly reidentify?: IdentityReader<Identity>
  /**
   * Returns when an identity ends by itself, in epoch milliseconds, such as the `exp` of its token. `null` or omitted:
   * the next check finds out.
   */
  readonly expiresAt?: (identity: Identity) => number | null
  /** Limits that are omitted have their defaults. */
  readonly limits?: Partial<StreamLimits>
}

/** The options of `createSubscriptions` once they are checked and have their defaults. */
export interface SubscriptionsSettings extends SubscriptionsOptions<AnyPolicy> {
  readonly reidentify: IdentityReader<Identity>
  readonly expiresAt: (identity: Identity) => number | null
  readonly addresses: AddressReader
  readonly headers: HttpReply['headers']
  readonly now: () => number
  readonly limits: StreamLimits
}

/** @throws TypeError naming the option that is not valid. */
export function readSubscriptionsOptions<P extends AnyPolicy>(given: SubscriptionsOptions<P>): SubscriptionsSettings {
  // The policy's type adds names to the context that only the compiler knows.
  const options = given as unknown as SubscriptionsOptions<AnyPolicy>
  checkOptionNames('createSubscriptions', options, optionNames)
  checkParts(options)
  return {
    ...options,
    reidentify: options.reidentify ?? options.identify,
    expiresAt: options.expiresAt ?? (() => null),
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
  translateError: true,
  observe: true,
  addresses: true,
  rateLimit: true,
  trustedDocuments: true,
  headers: true,
  now: true,
  reidentify: true,
  expiresAt: true,
  limits: true,
} as const

function checkParts(options: SubscriptionsOptions<AnyPolicy>): void {
  const { access, identify, reidentify = identify, rateLimit, trustedDocuments, stepUp } = options
  if (rateLimit !== undefined && typeof rateLimit !== 'function') throw new TypeError('"rateLimit" must be a function')
  if (stepUp !== undefined && typeof stepUp !== 'function')
    throw new TypeError('"stepUp" must be a function or omitted')
  checkTrustedDocuments(trustedDocuments)
  checkObserve(options.observe)
  if (typeof access?.prepare !== 'function') throw new TypeError('"access" must come from compileAccess')
  for (const [name, reader] of Object.entries({ identify, reidentify })) {
    if (typeof reader?.read !== 'function') throw new TypeError(`"${name}" must be an IdentityReader`)
  }
}
