import type { Attempt } from '@latchkey/accounts'
import type { AddressReader, HttpRequest, IdentityReading } from '@latchkey/http'
import type { RequestIds } from '@latchkey/http/internal'
import type { Identity } from '@latchkey/rbac'
import type { Device } from '@latchkey/sessions'
import type { MailLanguage } from '../../options/mails/mail-language.ts'
import type { ServiceCookies } from '../../options/sessions/service-cookies.ts'

/** The credentials of a request in addition to the credential of its identity. */
export interface PresentedCredentials {
  /** The session cookie's credential; `null` if it is missing or malformed. */
  readonly sessionCredential: string | null
  /** Whether the request has a bearer token, so that the session cookie is ignored. */
  readonly isBearerSent: boolean
  readonly isRefreshCookieSent: boolean
  /** The refresh cookie's token; `null` if it is missing or malformed. */
  readonly refreshToken: string | null
  /** The secret of the sign-up cookie; `null` if it is missing or malformed. */
  readonly browserSecret: string | null
  /** The token of the remembered device; `null` if its cookie is missing or malformed. */
  readonly trustedDeviceToken: string | null
  /** A script of a page may have sent the request. */
  readonly fromBrowser: boolean
  readonly device: Device
  /** The origin of the request, for limits, events and mails. */
  readonly attempt: Attempt
}

/** The parts that read the origin of a request. */
export interface AttemptParts {
  readonly cookies: Pick<ServiceCookies, 'device'>
  readonly addresses: AddressReader
  readonly requestIds: RequestIds
  readonly mailLanguage: MailLanguage
}

export interface PresentedOptions extends AttemptParts {
  readonly cookies: ServiceCookies
  /** The credential from which the identity was read. */
  readonly reading: IdentityReading<Identity>
}

/**
 * Headers that browsers send with every request that may change data, and that scripts cannot omit: they are forbidden
 * request-headers (Fetch §2.2.2). Other headers of Fetch Metadata are no evidence, because Node.js sends
 * `Sec-Fetch-Mode` too.
 */
const browserHeaders = ['origin', 'sec-fetch-site'] as const

export function readPresentedCredentials(request: HttpRequest, options: PresentedOptions): PresentedCredentials {
  const { cookies, addresses, reading } = options
  const fromBrowser = isFromBrowser(request)
  return {
    sessionCredential: cookies.session.read(request),
    isBearerSent: reading.credential === 'bearer',
    isRefreshCookieSent: cookies.refresh.isSent(request),
    refreshToken: cookies.refresh.read(request),
    browserSecret: cookies.signUp.read(request),
    trustedDeviceToken: cookies.remembered.read(request),
    fromBrowser,
    attempt: withImpersonator(readAttempt(request, options), reading.identity),
    device: { userAgent: request.headers.get('user-agent') ?? null, address: addresses.read(request) },
  }
}

function isFromBrowser(request: HttpRequest): boolean {
  return browserHeaders.some((name) => request.headers.has(name))
}

/** Returns the attempt with the administrator who acts as the account, so that every event and row names both. */
export function withImpersonator(attempt: Attempt, identity: Pick<Identity, 'impersonator'> | null): Attempt {
  const { impersonator = null } = identity ?? {}
  return impersonator === null ? attempt : { ...attempt, impersonatorId: impersonator }
}

/**
 * Returns the origin of the request in the form that limits count.
 * @param channel @default GraphQL's channel: `cookie` if a script of a page may have sent it, otherwise `native`
 */
export function readAttempt(
  request: HttpRequest,
  { cookies, addresses, requestIds, mailLanguage }: AttemptParts,
  channel: Attempt['channel'] = isFromBrowser(request) ? 'cookie' : 'native',
): Attempt {
  const address = addresses.read(request)
  const locale = mailLanguage(request.headers.get('accept-language') ?? null)
  return {
    address: address === null ? null : addresses.limitKey(address),
    deviceToken: cookies.device.read(request),
    channel,
    requestId: requestIds.of(request),
    userAgent: request.headers.get('user-agent') ?? null,
    ...(locale !== null && { locale }),
  }
}
