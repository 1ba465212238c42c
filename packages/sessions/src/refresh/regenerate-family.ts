import type { FactorProof } from '@latchkey/store'
import { withProofs } from '../stored-factors.ts'
import { revokeFamily } from './change-family.ts'
import { type IssuedFamily, issueRefreshToken } from './issue-refresh-token.ts'
import type { RefreshContext } from './refresh-context.ts'
import type { RefreshFamily } from './refresh-family.ts'

/** What a family is renewed with, or replaced with. */
export interface FamilyChange {
  /** The epoch of the account. */
  readonly epoch: number
  /**
   * What was proven since: each takes the place of the earlier proof of its kind.
   * @default []
   */
  readonly factors?: readonly FactorProof[]
}

/** Stores the new family and removes the old one then: its access tokens and refresh tokens are dead at once. */
export async function regenerateFamily(
  context: RefreshContext,
  old: RefreshFamily,
  { epoch, factors = [] }: FamilyChange,
): Promise<IssuedFamily | null> {
  const { subject, clientId, scopes, grant, keyBinding, channel, device, endsAt } = old
  const kept = { subject, clientId, scopes, grant, keyBinding, channel, device }
  const issued = await issueRefreshToken(context, { ...kept, epoch, factors: withProofs(old.factors, factors) }, endsAt)
  let isGone = false
  try {
    isGone = (await revokeFamily(context, old.key)) || old.expiresAt <= context.now()
  } finally {
    // The old one was revoked, or the store has failed: the caller never gets the new one.
    if (!isGone) await revokeFamily(context, issued.family.key)
  }
  return isGone ? issued : null
}
