import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { type Jwks, openKeyRing, type StoredKeyRing } from '@latchkey/jwt'
import { clientKeysPurpose } from '../options/sessions/access-tokens.ts'
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

/** Returns the public keys of all rings as one set. */
export async function publicKeysOf(rings: readonly StoredKeyRing[]): Promise<Jwks> {
  return { keys: (await Promise.all(rings.map((ring) => ring.jwks()))).flatMap((set) => [...set.keys]) }
}
