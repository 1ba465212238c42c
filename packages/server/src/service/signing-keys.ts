import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { type Jwks, openKeyRing, type StoredKeyRing } from '@latchkey/jwt'
import { clientKeysPurpose, idTokenKeysPurpose } from '../options/sessions/access-tokens.ts'
import type { ServicePlan } from './plan/service-plan.ts'

/** Opens the ring of the keys that sign the service's own access tokens. */
export function openSigningKeys(
  { options, accessTokens, now }: ServicePlan,
  secrets: SecretKeys,
  storedVersion: () => number,
): Promise<StoredKeyRing> {
  const { algorithm, publishAheadSeconds, refreshSeconds } = accessTokens
  const sealing = {
    documents: options.stores.documents,
    storedVersion,
    secrets: deriveSecrets(secrets, 'access-token-keys'),
  }
  return openKeyRing({ ...sealing, algorithm, publishAheadSeconds, refreshSeconds, now })
}

/** Opens the ring of the keys that sign the tokens of clients. */
export function openClientKeys(
  { options, accessTokens, now }: ServicePlan,
  secrets: SecretKeys,
  storedVersion: () => number,
): Promise<StoredKeyRing> {
  const { clientAlgorithm: algorithm, publishAheadSeconds, refreshSeconds } = accessTokens
  const sealing = {
    documents: options.stores.documents,
    storedVersion,
    secrets: deriveSecrets(secrets, 'client-token-keys'),
  }
  return openKeyRing({ ...sealing, algorithm, purpose: clientKeysPurpose, publishAheadSeconds, refreshSeconds, now })
}

/**
 * Returns the ring of RS256 for id tokens (OpenID Connect Discovery §3), which is opened when it is used first, so that no start
 * waits for its keys. `null`: clients' tokens are signed with RS256 anyway.
 */
export function createIdTokenKeys(
  { options, accessTokens, now }: ServicePlan,
  secrets: SecretKeys,
  storedVersion: () => number,
): StoredKeyRing | null {
  const { clientAlgorithm, publishAheadSeconds, refreshSeconds } = accessTokens
  if (clientAlgorithm === 'RS256') return null
  return openLate(() =>
    openKeyRing({
      documents: options.stores.documents,
      storedVersion,
      secrets: deriveSecrets(secrets, 'id-token-keys'),
      algorithm: 'RS256',
      purpose: idTokenKeysPurpose,
      publishAheadSeconds,
      refreshSeconds,
      now,
    }),
  )
}

/** Opens the ring on first use, and again after a failure. */
function openLate(open: () => Promise<StoredKeyRing>): StoredKeyRing {
  let opening: Promise<StoredKeyRing> | null = null
  const ring = (): Promise<StoredKeyRing> => {
    opening ??= open().catch((error: unknown) => {
      opening = null
      throw error
    })
    return opening
  }
  return {
    maxLifetimeSeconds: 900,
    find: async (query) => (query.algorithm === 'RS256' ? (await ring()).find(query) : null),
    signingKey: async () => (await ring()).signingKey(),
    jwks: async () => (await ring()).jwks(),
    rotate: async () => (await ring()).rotate(),
    nextSignsAt: async () => (await ring()).nextSignsAt(),
    replaceAll: async () => (await ring()).replaceAll(),
  }
}

/** Returns the public keys of all rings as one set. */
export async function publicKeysOf(rings: readonly StoredKeyRing[]): Promise<Jwks> {
  return { keys: (await Promise.all(rings.map((ring) => ring.jwks()))).flatMap((set) => [...set.keys]) }
}
