import type { IdTokenAlgorithm, OpenIdProvider } from './provider.ts'

/** What differs between providers of OpenID Connect. */
export interface OpenIdOptions {
  /** As the provider writes it, with or without a slash at its end. `https:`, or `http:` on loopback. */
  readonly issuer: string
  /** How events, verdicts and cookies name it. @default 'openid' */
  readonly name?: string
  /** @default ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] */
  readonly idTokenAlgorithms?: readonly [IdTokenAlgorithm, ...IdTokenAlgorithm[]]
}

/** What OpenID Connect asks of a provider (Core §5.4, §11), with nothing of its own. */
export function openid(options: OpenIdOptions): OpenIdProvider {
  const { issuer, name = 'openid' } = options
  const { idTokenAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'] } = options
  return {
    name,
    protocol: 'openid',
    issuer,
    scopes: ['openid', 'profile', 'email'],
    idTokenAlgorithms,
    // Without consent a provider ignores the scope (OpenID Connect Core §11).
    offline: { scopes: ['offline_access'], parameters: { prompt: 'consent' } },
  }
}
