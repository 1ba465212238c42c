import type {
  ForgeryCheck,
  HttpRequest,
  HttpResponse,
  IdentityReader,
  IdentityReading,
  SessionCookie,
} from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import type { GraphQLError } from 'graphql'
import { AccessError } from '../errors.ts'
import { refusal } from '../refusal.ts'

/** The sender of a request. */
export interface RequestIdentity extends IdentityReading<Identity> {
  /** Whether the origin check failed or is missing. Credential fields are then rejected. */
  readonly forged: boolean
  /** Sent with the response, unless a resolver queues another header of the name. */
  readonly headers: HttpResponse['headers']
  /**
   * Reads the identity again if the body took longer than 250 ms to arrive, because the session may be revoked by then.
   * Omitted: the identity is read once.
   */
  reidentify?(): Promise<IdentityReading<Identity>>
}

/** Returns the sender of a request. */
export type Identify = (request: HttpRequest) => Promise<RequestIdentity>

export interface IdentifyOptions extends OriginOptions {
  readonly identify: IdentityReader<Identity>
  readonly reidentify?: IdentityReader<Identity>
}

/** Creates a function that checks the origin before it reads the identity, so a forged request costs no look-up. */
export function createIdentify(options: IdentifyOptions): Identify {
  return async (request) => identify(request, checkOrigin(request, options), options)
}

/** Reads the identity of a request after its origin was checked. */
export async function identify(
  request: HttpRequest,
  forged: boolean,
  { identify: reader, reidentify = reader }: IdentifyOptions,
): Promise<RequestIdentity> {
  const { identity, credential } = await reader.read(request)
  return { identity, credential, forged, headers: [], reidentify: () => reidentify.read(request) }
}

export interface OriginOptions {
  /** Omitted: every request counts as forged, but is not rejected here. */
  readonly forgery?: ForgeryCheck
  /** The cookies with which a forged request is always rejected. Default: every cookie counts. */
  readonly cookies?: readonly Pick<SessionCookie, 'isSent'>[]
}

/**
 * Returns whether a request is forged. Without a cookie, a forged request is only harmful at fields that test a secret,
 * and the plan of the operation rejects these fields.
 *
 * @throws AccessError `CSRF_REJECTED` for a forged request with a cookie.
 */
export function checkOrigin(request: HttpRequest, options: OriginOptions): boolean {
  const forged = !options.forgery?.checkOrigin(request).ok
  rejectForged(request, forged, options)
  return forged
}

/** @throws AccessError `CSRF_REJECTED` for a forged request with a cookie. */
export function rejectForged(request: HttpRequest, forged: boolean, { forgery, cookies }: OriginOptions): void {
  if (!forged || !forgery) return
  const isCookieSent = cookies?.some((cookie) => cookie.isSent(request)) ?? request.headers.has('cookie')
  if (isCookieSent) {
    throw new AccessError('CSRF_REJECTED')
  }
}

/** Whether a request has a credential that is not valid. */
export function isCredentialInvalid(reading: IdentityReading<Identity> | null): boolean {
  return reading !== null && reading.credential !== null && reading.identity === null
}

const invalid: HttpResponse['headers'] = [['latchkey-credential', 'invalid']]

/** Returns the header for an invalid credential, because public fields are not refused. */
export function credentialHeaders(reading: IdentityReading<Identity> | null): HttpResponse['headers'] {
  return isCredentialInvalid(reading) ? invalid : []
}

/** The header for the token of a session, in requests and responses. */
export const csrfHeader = 'x-csrf-token'

export interface TokenParts {
  readonly forgery: ForgeryCheck | undefined
  /** Called with a new token if only the token is missing, because the same page may request a token. */
  readonly offer: (token: string) => void
}

/**
 * Whether a request has the CSRF token of its session. `false` for an identity without a session key, and without a
 * forgery check.
 */
export function isTokenShown(
  shown: string | null | undefined,
  { identity, forged }: Pick<RequestIdentity, 'identity' | 'forged'>,
  { forgery, offer }: TokenParts,
): boolean {
  const key = identity?.key
  if (!key || !forgery) return false
  if (forgery.verifyToken(shown, key)) return true
  if (!forged) offer(forgery.createToken(key))
  return false
}

/** A request, and the queue of its response headers. */
interface AnsweredRequest {
  readonly request: HttpRequest
  readonly requestIdentity: RequestIdentity | null
  readonly queued: { setHeader(name: string, value: string): void }
}

/**
 * Refuses a request with the CSRF token of another session: its page does not know the current user yet. The refusal
 * has a token of the current session.
 *
 * @throws GraphQLError `CSRF_REJECTED`
 */
export function refuseOtherSession(
  { request, requestIdentity, queued }: AnsweredRequest,
  forgery: ForgeryCheck | undefined,
): void {
  if (!requestIdentity) return
  const offer = (token: string): void => queued.setHeader(csrfHeader, token)
  const refused = findOtherSession(request.headers.get(csrfHeader), requestIdentity, { forgery, offer })
  if (refused) throw refused
}

/** Returns the refusal; `null` without a token, or without a session from a cookie. */
export function findOtherSession(
  shown: string | null | undefined,
  sender: RequestIdentity,
  parts: TokenParts,
): GraphQLError | null {
  const isJudged = shown && parts.forgery && sender.credential === 'cookie' && sender.identity?.key
  return isJudged && !isTokenShown(shown, sender, parts) ? otherSession : null
}

const otherSession = refusal('CSRF_REJECTED', {
  message: 'The x-csrf-token header belongs to another session. Send the token of the current one.',
})
