import type { FactorVerdict } from '@latchkey/store'
import { type CollectionItem, overtaken, untilFirst } from '@latchkey/store/internal'
import { matchingSteps, stepsAt } from './matching-steps.ts'
import { readTotpCode } from './read-totp-code.ts'
import { refuse } from './refuse.ts'
import { type ActiveTotp, type PendingTotp, type TotpContext, totpKind } from './totp-context.ts'

export interface ConfirmOptions {
  readonly binding?: string | null
  readonly beforeActivation?: () => Promise<boolean>
}

/** Wrong codes that end an enrolment. */
const mostFailures = 5

export async function confirmTotp(
  context: TotpContext,
  accountId: string,
  code: string,
  { binding = null, beforeActivation = async () => true }: ConfirmOptions,
): Promise<FactorVerdict> {
  const given = readTotpCode(code)
  const seen: { right: RightCode | null; wasOpen: boolean } = { right: null, wasOpen: false }
  // For exactly one caller: from then on no code confirms this enrolment.
  const swapped = await context.pending.update(accountId, async (current) => {
    const sealed = openFor(context, current, binding)
    if (sealed === null) return null
    seen.wasOpen = true
    seen.right = await findRight(context, accountId, { sealed, given })
    return seen.right ? { ...current.value, secret: null } : countFailure(current)
  })
  if (!swapped) return refuse(seen.wasOpen ? 'overtaken' : 'not-enrolled')
  if (!seen.right) return refuse('wrong')
  return (await beforeActivation())
    ? activate(context, accountId, { ...seen.right, id: swapped.value.id })
    : refuse('overtaken')
}

/** Returns the sealed secret of an enrolment that is open for this caller, or `null`. */
function openFor({ now }: TotpContext, { value }: CollectionItem<PendingTotp>, binding: string | null): string | null {
  return value.binding === binding && now() < value.expiresAt ? value.secret : null
}

interface RightCode {
  readonly sealed: string
  readonly secret: Uint8Array
  readonly step: number
}

async function findRight(
  { now, secrets, window }: TotpContext,
  accountId: string,
  { sealed, given }: { readonly sealed: string; readonly given: string | null },
): Promise<RightCode | null> {
  const secret = await secrets.open(accountId, sealed)
  const [step] = given === null ? [] : matchingSteps(secret, given, stepsAt(now(), window))
  return step === undefined ? null : { sealed, secret, step }
}

function countFailure({ value }: CollectionItem<PendingTotp>) {
  const failures = value.failures + 1
  return { ...value, failures, secret: failures < mostFailures ? value.secret : null }
}

/**
 * `remove` deletes the enrolment before the factor, so a missing or different id reveals a removal. If the removal came
 * first, the existing factor stays. If it came between, this factor is removed.
 */
async function activate(
  { active, now, pending, secrets }: TotpContext,
  accountId: string,
  { sealed, secret, step, id }: RightCode & Pick<PendingTotp, 'id'>,
): Promise<FactorVerdict> {
  const at = now()
  const renewed = await secrets.renew(accountId, sealed, secret)
  const value = { secret: renewed, step, failures: 0, createdAt: at, lastUsedAt: at }
  const isEnrolled = async (): Promise<boolean> => {
    const enrolled = await pending.get(accountId)
    return enrolled !== null && enrolled.value.id === id
  }
  const seen: { older: CollectionItem<ActiveTotp> | null } = { older: null }
  const store = async (): Promise<FactorVerdict> => {
    const stored = await active.put(accountId, accountId, async (current) => {
      seen.older = current
      return (await isEnrolled()) ? value : null
    })
    if (stored && (await isEnrolled())) return { ok: true, proof: { kind: totpKind, at, category: 'have' } }
    if (stored) await active.removeVersion(stored)
    return refuse('overtaken')
  }
  return store().catch(async (error: unknown) => {
    // The factor may be stored all the same. The owner is not told of it, so it must not count.
    await takeBack(active, accountId, { sealed: renewed, older: seen.older }).catch(() => undefined)
    throw error
  })
}

/** Removes the factor with this sealed secret, or puts the older factor back in its place. */
async function takeBack(
  active: TotpContext['active'],
  accountId: string,
  { sealed, older }: { readonly sealed: string; readonly older: CollectionItem<ActiveTotp> | null },
): Promise<void> {
  await untilFirst(async () => {
    const found = await active.get(accountId)
    if (found?.value.secret !== sealed) return null
    return (await (older ? active.replace(found, older.value) : active.removeVersion(found))) ? null : overtaken
  })
}
