import { withoutKinds, withProofs } from '../stored-factors.ts'
import { revokeFamily } from './change-family.ts'
import { issueRefreshToken } from './issue-refresh-token.ts'
import type { RefreshContext } from './refresh-context.ts'
import type { RefreshFamily } from './refresh-family.ts'
import type { IssuedFamily, RefreshTokens } from './refresh-tokens.ts'

/** Stores the new family and removes the old one then: its access tokens and refresh tokens are dead at once. */
export async function regenerateFamily(
  context: RefreshContext,
  old: RefreshFamily,
  { epoch, factors = [], without = [] }: Parameters<RefreshTokens['renew']>[1],
  { beforeRevocation }: NonNullable<Parameters<RefreshTokens['regenerate']>[2]>,
): Promise<IssuedFamily | null> {
  // What stands for another account is not renewed: it would be one of the owner.
  if (old.impersonation !== null) return null
  const { lineage, subject, clientId, scopes, grant, keyBinding, channel, device } = old
  const { enrollmentSince, session, givenIn, resources, authenticatedAt, endsAt, provider = null } = old
  const client = { clientId, scopes, grant, keyBinding, channel, resources }
  const from = { session, givenIn, lineage, provider }
  const kept = { subject, ...client, ...from, device, enrollmentSince, authenticatedAt, endsAt }
  const proven = withProofs(withoutKinds(old.factors, without), factors)
  const issued = await issueRefreshToken(context, { ...kept, epoch, factors: proven })
  let isGone = false
  try {
    await beforeRevocation?.()
    isGone = (await revokeFamily(context, old.key)) || old.expiresAt <= context.now()
  } finally {
    // The old one was revoked, or the store has failed: the caller never gets the new one.
    if (!isGone) await revokeFamily(context, issued.family.key)
  }
  return isGone ? issued : null
}
