import { findFamily } from './find-family.ts'
import { isPrevious, repeatSuccessor } from './redeem-refresh-token.ts'
import type { RefreshContext } from './refresh-context.ts'
import { type FamilyValue, type RefreshFamily, toFamily } from './refresh-family.ts'
import { isHashOf, parseRefreshToken, type RefreshSecret } from './refresh-secret.ts'

export async function identifyFamily(
  context: RefreshContext,
  token: string | null,
  { redeemable = false }: { readonly redeemable?: boolean },
): Promise<RefreshFamily | null> {
  const presented = parseRefreshToken(token)
  const found = presented && (await findFamily(context, presented.key))
  if (!found || !isHashOf(found.value.lineageHash, presented.lineage)) return null
  const isNewest = isHashOf(found.value.secretHash, presented.secret)
  const isEarlier = redeemable ? isRepeatable(context, presented, found.value) : isPrevious(presented, found.value)
  return isNewest || isEarlier ? toFamily(found.record, found.value) : null
}

function isRepeatable(context: RefreshContext, presented: RefreshSecret, value: FamilyValue): boolean {
  return repeatSuccessor(context, presented, value) !== null
}
