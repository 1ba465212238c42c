import { type DenyList, isJwtError, type JwtVerifier, type StoredKeyRing, type VerifiedClaims } from '@latchkey/jwt'
import type { ServiceAudit } from './service-audit.ts'

/** The operator's changes to keys and tokens of a service. */
export interface ServiceKeys {
  /** Lets the next key sign access tokens. */
  rotateKeys(): Promise<{ readonly keyId: string }>
  /** Replaces all keys of access tokens by a new key. */
  replaceKeys(): Promise<{ readonly keyId: string }>
  /** Revokes an access token. */
  revokeToken(token: string): Promise<boolean>
}

/** Revokes single access tokens. */
export interface TokenEnding {
  /** Revokes the verified token with these claims. */
  endToken(claims: VerifiedClaims): Promise<void>
}

export interface ServiceKeysParts {
  /** The key ring of the service's own tokens and, with clients, theirs. */
  readonly rings: readonly [StoredKeyRing, ...StoredKeyRing[]]
  readonly accessTokens: JwtVerifier
  readonly denyList: DenyList
  readonly recorder: ServiceAudit['recorder']
  readonly now: () => number
}

export function createTokenEnding({
  denyList,
  recorder,
}: Pick<ServiceKeysParts, 'denyList' | 'recorder'>): TokenEnding {
  return {
    async endToken(claims) {
      const { sub, sid: sessionKey = null } = claims
      // A token without a session belongs to a machine, which is no account.
      const decision = { type: 'token.revoked', accountId: sessionKey === null ? null : sub, sessionKey } as const
      const revoking = recorder.plan(decision)
      await revoking.begin()
      await denyList.denyToken(claims)
      await revoking.done(decision)
    },
  }
}

export function createServiceKeys({ rings, accessTokens, denyList, recorder, now }: ServiceKeysParts): ServiceKeys {
  const ending = createTokenEnding({ denyList, recorder })
  return {
    rotateKeys: together(() =>
      rotateRings(rings, { now, rotate: (ring) => changeKeys(recorder, 'key.rotated', () => ring.rotate()) }),
    ),
    replaceKeys: together(() =>
      replaceRings(rings, (ring) => changeKeys(recorder, 'key.replaced', () => ring.replaceAll())),
    ),
    async revokeToken(token) {
      const verdict = await accessTokens.verify(token)
      if (!verdict.ok || verdict.claims.jti === undefined || (await denyList.isDenied(verdict.claims))) return false
      await ending.endToken(verdict.claims)
      return true
    },
  }
}

interface ChangedKey {
  readonly keyId: string
}

/**
 * Rotates the service's own ring first, because its refusal must change no ring. Other rings whose next key is too
 * young were created or rotated a moment ago, and stay unchanged.
 */
async function rotateRings(
  [own, ...others]: ServiceKeysParts['rings'],
  { now, rotate }: { readonly now: () => number; readonly rotate: (ring: StoredKeyRing) => Promise<ChangedKey> },
): Promise<ChangedKey> {
  const changed = await rotate(own)
  for (const ring of others) if ((await ring.nextSignsAt()) <= now()) await rotate(ring)
  return changed
}

async function replaceRings(
  [own, ...others]: ServiceKeysParts['rings'],
  replace: (ring: StoredKeyRing) => Promise<ChangedKey>,
): Promise<ChangedKey> {
  const changed = await replace(own)
  for (const ring of others) await replace(ring)
  return changed
}

/** Shares the result of a pending change, so that concurrent calls make one change. */
function together<Result>(change: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<Result> | null = null
  return () => {
    underWay ??= change().finally(() => {
      underWay = null
    })
    return underWay
  }
}

async function changeKeys(
  recorder: ServiceAudit['recorder'],
  type: 'key.rotated' | 'key.replaced',
  change: () => Promise<{ readonly id: string }>,
): Promise<ChangedKey> {
  const changing = recorder.plan({ type })
  await changing.begin()
  const { id: keyId } = await change().catch(async (error: unknown) => {
    // A refusal changes nothing. After any other error, the outcome is unknown.
    if (isJwtError(error)) await changing.failed()
    throw error
  })
  await changing.done({ type, keyId })
  return { keyId }
}
