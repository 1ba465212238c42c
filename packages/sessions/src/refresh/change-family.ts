import { StoreError } from '@latchkey/store'
import { withoutKinds, withProofs } from '../stored-factors.ts'
import { findFamily } from './find-family.ts'
import type { RefreshContext } from './refresh-context.ts'
import { familyShape, isFamilyKey, type RefreshFamily, toFamily } from './refresh-family.ts'
import type { RefreshTokens } from './refresh-tokens.ts'

const retries = 3

/**
 * Repeats a compare and swap whose record was changed by another caller in between.
 *
 * @param attempt reads the record, swaps it and returns the outcome, or `null` when the swap was refused.
 * @throws StoreError `STORE_UNAVAILABLE` when three further attempts were refused as well.
 */
export async function retrySwap<Outcome>(attempt: () => Promise<Outcome | null>): Promise<Outcome> {
  for (let made = 0; made <= retries; made++) {
    const outcome = await attempt()
    if (outcome !== null) return outcome
  }
  throw new StoreError('STORE_UNAVAILABLE', 'the record kept changing while it was read')
}

export function renewFamily(
  context: RefreshContext,
  family: RefreshFamily,
  { epoch, factors = [], without = [] }: Parameters<RefreshTokens['renew']>[1],
): Promise<boolean> {
  const { records, writes, emit } = context
  const { key, subject } = family
  return retrySwap(async () => {
    const found = await findFamily(context, key)
    // What stands for another account is not renewed: it would outlive the change that is to end it.
    if (!found || found.value.impersonation !== undefined || found.value.epoch > epoch) return false
    const { record, value } = found
    const kept = withoutKinds(value.factors, without)
    const isAsBefore = kept.length === value.factors.length && factors.length === 0
    if (value.epoch === epoch && isAsBefore) return true
    const renewed = { ...value, epoch, factors: withProofs(kept, factors) }
    const next = { value: familyShape.format(renewed, writes()), expiresAt: record.expiresAt }
    if (!(await records.replace(record, next))) return null
    emit({ type: 'family.renewed', sessionKey: key, accountId: subject, epoch })
    return true
  })
}

export async function revokeFamily({ records, emit }: RefreshContext, key: string): Promise<boolean> {
  if (!isFamilyKey(key) || !(await records.remove(key))) return false
  emit({ type: 'family.ended', sessionKey: key })
  return true
}

export async function revokeBySession(
  context: RefreshContext,
  { subject, session }: { readonly subject: string; readonly session: string },
  { isMeant = () => true }: NonNullable<Parameters<RefreshTokens['revokeBySession']>[2]> = {},
): Promise<number> {
  const { records, now, readValue } = context
  const keys: string[] = []
  let cursor: string | undefined
  do {
    const page = await records.listByOwner(subject, cursor === undefined ? {} : { cursor })
    for (const record of page.items) {
      const value = readValue(record, now())
      if (value?.session === session && isMeant(toFamily(record, value))) keys.push(record.key)
    }
    cursor = page.cursor
  } while (cursor !== undefined)
  const ended = await Promise.all(keys.map((key) => revokeFamily(context, key)))
  return ended.filter(Boolean).length
}
