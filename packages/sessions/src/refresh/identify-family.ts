import { findFamily } from './find-family.ts'
import { repeatSuccessor } from './redeem-refresh-token.ts'
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
  const isPrevious = redeemable ? isRepeatable(context, presented, found.value) : isReplaced(presented, found.value)
  return isNewest || isPrevious ? toFamily(found.record, found.value) : null
}

function isRepeatable(context: RefreshContext, presented: RefreshSecret, value: FamilyValue): boolean {
  return repeatSuccessor(context, presented, value) !== null
}

function isReplaced({ secret }: RefreshSecret, { previous }: FamilyValue): boolean {
  return previous !== null && isHashOf(previous.secretHash, secret)
}
