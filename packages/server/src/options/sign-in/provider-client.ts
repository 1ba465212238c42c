import type { ProviderIdentity } from '@latchkey/accounts'

/** What begins a sign-in. */
export interface ProviderStart {
  readonly returnTo?: string
  readonly cookieHeader?: string | null
  readonly loginHint?: string
  readonly prompt?: 'login'
  readonly maxAgeSeconds?: number
  readonly binding?: string | null
}

/** The verdict on a callback. `cookie`: the `Set-Cookie` line that ends the sign-in in the browser. */
export type ProviderVerdict =
  | (ProviderIdentity & { readonly ok: true; readonly returnTo: string; readonly cookie: string | null })
  | {
      readonly ok: false
      readonly reason: string
      /** What is wrong with an id token. */
      readonly detail?: string
      readonly returnTo: string | null
      readonly cookie: string | null
    }

/** The verdict on a logout token. */
export type ProviderLogoutVerdict =
  | { readonly ok: true; readonly issuer: string; readonly subject: string | null; readonly sid: string | null }
  | { readonly ok: false; readonly reason: string }

/** What the service asks of a client of a provider: `createOAuthClient` of `@latchkey/oauth/client` returns one. */
export interface ProviderClient {
  readonly provider: string
  readonly issuer: string
  readonly redirectUri: string
  begin(input?: ProviderStart): Promise<{ readonly url: string; readonly cookie: string }>
  finish(url: string | URL, cookieHeader: string | null): Promise<ProviderVerdict>
  receivePost(
    form: string,
  ): Promise<{ readonly ok: true; readonly location: string } | { readonly ok: false; readonly reason: string }>
  /** `end` is awaited before a token is used up, so that one whose sessions could not be ended may be sent again. */
  verifyLogoutToken(
    token: string | null,
    end: (logout: ProviderLogoutVerdict & { readonly ok: true }) => Promise<void>,
  ): Promise<ProviderLogoutVerdict>
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
