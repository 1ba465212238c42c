import type { ProviderIdentity } from '@latchkey/accounts'

/** A client of a provider, as `createOAuthClient` of `@latchkey/oauth/client` returns it. */
export interface ProviderClient {
  readonly provider: string
  readonly issuer: string
  readonly redirectUri: string
  begin(input?: {
    readonly returnTo?: string
    readonly cookieHeader?: string | null
    readonly loginHint?: string
    readonly prompt?: 'login'
    readonly maxAgeSeconds?: number
    readonly binding?: string | null
  }): Promise<{ readonly url: string; readonly cookie: string }>
  /**
   * Returns the verdict on a callback. `cookie` is the `Set-Cookie` line that clears the transaction in the browser.
   */
  finish(
    url: string | URL,
    cookieHeader: string | null,
  ): Promise<
    | (ProviderIdentity & { readonly ok: true; readonly returnTo: string; readonly cookie: string | null })
    | {
        readonly ok: false
        readonly reason: string
        /** The defect of an ID token. */
        readonly detail?: string
        readonly returnTo: string | null
        readonly cookie: string | null
      }
  >
  receivePost(
    form: string,
  ): Promise<{ readonly ok: true; readonly location: string } | { readonly ok: false; readonly reason: string }>
  /**
   * Awaits `end` before the token is used up, so that a token can be sent again if its sessions could not be revoked.
   */
  verifyLogoutToken(
    token: string | null,
    end: (logout: {
      readonly ok: true
      readonly issuer: string
      readonly subject: string | null
      readonly sid: string | null
    }) => Promise<void>,
  ): Promise<
    | { readonly ok: true; readonly issuer: string; readonly subject: string | null; readonly sid: string | null }
    | { readonly ok: false; readonly reason: string }
  >
}

const methods = ['begin', 'finish', 'receivePost', 'verifyLogoutToken'] as const
const texts = ['provider', 'issuer', 'redirectUri'] as const

/** Returns whether a value is a client of a provider. */
export function isProviderClient(value: unknown): value is ProviderClient {
  const given = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>
  return (
    methods.every((name) => typeof given[name] === 'function') && texts.every((name) => typeof given[name] === 'string')
  )
}

const codes = { OAUTH_PROVIDER_UNAVAILABLE: 503, OAUTH_PROVIDER_INVALID: 502, OAUTH_CLIENT_REJECTED: 502 } as const

/** Why a provider has made no verdict possible. */
export interface ProviderFailure {
  readonly code: keyof typeof codes
  readonly status: 502 | 503
}

/** Returns what is wrong with a provider, of an error that a client threw; `null`: it is about something else. */
export function readProviderFailure(error: unknown): ProviderFailure | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null
  return isFailureCode(code) ? { code, status: codes[code] } : null
}

function isFailureCode(code: unknown): code is keyof typeof codes {
  return typeof code === 'string' && Object.hasOwn(codes, code)
}
