import { type AddressReader, createAddressReader, type HttpRequest, type IdentityReading } from '@latchkey/http'
import type { RateLimitPolicy } from '@latchkey/rate-limit'
import type { Identity } from '@latchkey/rbac'
import { AccessError, isAccessError, UnavailableError } from '../errors.ts'
import { toRetryAfter } from '../responses/error-table.ts'
import { startDeadline } from './deadline.ts'

/**
 * Counts a request, and returns whether it is allowed, or the time of the next attempt. Compatible with the verdicts of
 * `@latchkey/rate-limit`.
 */
export type RateLimitHook = (facts: {
  /** The client's address (RFC 5952), `null` if unknown. */
  readonly address: string | null
  /** The key for limits by address: the address, or the /64 network of an IPv6 address. */
  readonly addressKey: string | null
  /** `null` without an identity. */
  readonly identity: Identity | null
  /** The kind of the presented credential, accepted or not. */
  readonly credential: 'bearer' | 'cookie' | null
  readonly request: Pick<HttpRequest, 'method' | 'target' | 'headers'>
}) => Promise<
  { readonly ok: true } | { readonly ok: false; readonly retryAfterSeconds: number; readonly policy?: RateLimitPolicy }
>

type Facts = Parameters<RateLimitHook>[0]
type Answer = Awaited<ReturnType<RateLimitHook>>

export interface RateCheckOptions {
  readonly rateLimit: RateLimitHook | undefined
  readonly addresses?: AddressReader | undefined
  readonly timeoutMs: number
}

/** Resolves if the request may be answered. */
export type RateCheck = (request: HttpRequest, reading: IdentityReading<Identity>) => Promise<void>

/**
 * Creates the check that calls the hook before the body is read. Only `ok: true` allows a request: a hook that fails,
 * times out or returns another value is an outage.
 */
export function createRateCheck({ rateLimit, addresses, timeoutMs }: RateCheckOptions): RateCheck | null {
  if (!rateLimit) return null
  const reader = addresses ?? createAddressReader()
  return async (request, reading) => {
    const deadline = startDeadline(timeoutMs, () => request.signal)
    try {
      readAnswer(await deadline.race(() => rateLimit(factsOf(request, reading, reader))))
    } catch (error) {
      throw isAccessError(error) ? error : new UnavailableError('The rate limit could not be asked.', { cause: error })
    } finally {
      deadline.end()
    }
  }
}

function factsOf(request: HttpRequest, reading: IdentityReading<Identity>, reader: AddressReader): Facts {
  const { method, target, headers } = request
  const address = reader.read(request)
  return {
    address,
    addressKey: address === null ? null : reader.limitKey(address),
    identity: reading.identity,
    credential: reading.credential,
    request: { method, target, headers },
  }
}

function readAnswer(answer: Partial<Answer> | null | undefined): void {
  if (answer?.ok === true) return
  if (answer?.ok !== false)
    throw new TypeError('"rateLimit" must answer { ok: true } or { ok: false, retryAfterSeconds }')
  const { retryAfterSeconds: given, policy } = answer as Extract<Answer, { readonly ok: false }>
  const retryAfterSeconds = toRetryAfter(given)
  throw new AccessError('RATE_LIMITED', {
    ...(retryAfterSeconds !== null && { retryAfterSeconds }),
    ...(policy && { policy }),
  })
}
