import type { Delivery } from '@latchkey/accounts'
import type { ImpersonationCredentials, SessionCredentials, TokenCredentials } from '@latchkey/accounts/internal'
import type { AuthContext } from '@latchkey/graphql'
import type { ForgeryCheck } from '@latchkey/http'
import type { ServiceCookies } from '../../options/sessions/service-cookies.ts'

/** The credentials in the body of an answer, without those in cookies. */
export interface DeliveredCredentials {
  readonly accessToken: string | null
  /** Seconds. */
  readonly expiresIn: number | null
  readonly refreshToken: string | null
  readonly csrfToken: string | null
}

/** A new access token, as `refresh` delivers it. */
export type DeliveredTokens = DeliveredCredentials & { readonly accessToken: string; readonly expiresIn: number }

/** Delivers credentials to the client: secrets that scripts must not read are set as cookies. */
export interface Deliverer {
  session(credentials: SessionCredentials): DeliveredCredentials
  tokens(credentials: TokenCredentials): DeliveredTokens
  /** Delivers what an administrator acts as another account by. */
  impersonation(credentials: ImpersonationCredentials): Omit<DeliveredCredentials, 'refreshToken'>
  /** Returns the token of a device for the body, or sets it as a cookie and returns `null`. */
  device(token: string | null, delivery: Delivery): string | null
  /** Does the same for the token of a remembered device. */
  remembered(token: string | null, delivery: Delivery): string | null
}

export interface DelivererOptions {
  readonly response: AuthContext['response']
  readonly cookies: ServiceCookies
  readonly forgery: ForgeryCheck
  readonly now: () => number
}

const noTokens = { accessToken: null, expiresIn: null } as const

export function createDeliverer(options: DelivererOptions): Deliverer {
  const { response, cookies, forgery, now } = options
  const openSession = ({ credential, session }: Omit<SessionCredentials, 'delivery'>): string => {
    response.setCookie(cookies.session.write(credential, { persistent: session.persistent }))
    const csrfToken = forgery.createToken(session.key)
    response.setHeader('X-CSRF-Token', csrfToken)
    return csrfToken
  }
  // Tokens start at a whole second, so the remaining time is rounded up.
  const secondsUntil = (instant: number): number => Math.ceil((instant - now()) / 1000)
  return {
    session: (credentials) => ({ ...noTokens, refreshToken: null, csrfToken: openSession(credentials) }),
    impersonation(credentials) {
      if (credentials.delivery === 'session') return { ...noTokens, csrfToken: openSession(credentials) }
      const { accessToken, accessTokenExpiresAt } = credentials
      return { accessToken, expiresIn: secondsUntil(accessTokenExpiresAt), csrfToken: null }
    },
    tokens({ delivery, accessToken, accessTokenExpiresAt, refreshToken }) {
      const inCookie = delivery === 'token'
      if (inCookie) response.setCookie(cookies.refresh.write(refreshToken))
      const expiresIn = secondsUntil(accessTokenExpiresAt)
      return { accessToken, expiresIn, refreshToken: inCookie ? null : refreshToken, csrfToken: null }
    },
    device(token, delivery) {
      if (delivery === 'native') return token
      if (token !== null) response.setCookie(cookies.device.write(token))
      return null
    },
    remembered(token, delivery) {
      if (delivery === 'native') return token
      if (token !== null) response.setCookie(cookies.remembered.write(token))
      return null
    },
  }
}
