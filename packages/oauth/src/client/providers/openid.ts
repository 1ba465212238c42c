import type { OpenIdProvider } from './provider.ts'

/** A provider without deviations from OpenID Connect (Core §5.4, §11). */
export function openid(options: {
  readonly issuer: string
  readonly name?: string
  readonly idTokenAlgorithms?: OpenIdProvider['idTokenAlgorithms']
}): OpenIdProvider {
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
