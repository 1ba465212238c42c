import type { FactorProof } from '@latchkey/store'
import type { Attempt, JudgedAttempt } from '../../attempt.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { SignedInIdentity } from '../../contract/signed-in-identity.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { invalidCredentials, isAccountsError, offered, type Rejection } from '../../errors.ts'
import { alignEnrolled, readInForce } from '../../sign-in/enrolled-kinds.ts'
import { carryToEpoch } from '../../sign-in/kept-key.ts'
import type { StoredAccount } from '../../store/account-store.ts'
import { cleanUp, raiseEpoch } from '../account-changes.ts'
import { renewAfterChange } from '../renew-after-change.ts'
import type { FactorChanged, FactorInput } from './factor-inputs.ts'
import { type Affected, type ChangedFactor, type FactorStep, reportAdded, reportRemoved } from './report-factors.ts'

/** A recovery code that has signed in opens one change of a factor: its proof goes with it. */
const oneChange = ['recovery-code']

const tries = 5

/** The account that changes a factor, as it was read for the request: active and of the epoch of the identity. */
export interface Holder extends Affected {
  readonly identity: SignedInIdentity
  readonly shown: Attempt
}

/**
 * Returns the account that changes a factor. `null`: it was changed or closed since the request started.
 *
 * @throws TypeError if the user signed in with a recovery code and the identity has no epoch: two parallel changes
 * could not be told apart.
 */
export async function findHolder(
  context: AccountsContext,
  { identity, attempt: shown }: FactorInput,
): Promise<Holder | null> {
  const { subject, epoch = null, factors = [] } = identity
  if (epoch === null && factors.some(({ kind }) => oneChange.includes(kind))) {
    throw new TypeError('"identity" must have the "epoch" of the account')
  }
  const account = await context.accounts.get(subject)
  if (account?.status !== 'active' || (epoch !== null && epoch !== account.epoch)) return null
  return { account, attempt: judgeAttempt(context, shown, account), identity, shown }
}

/** An enrolment is finished in the session that started it, and before any other change of the account. */
export function bindingOf({ identity, account }: Holder): string {
  return `${identity.key ?? ''}:${account.epoch}`
}

/** Reports that the account has changed since the request started. */
export async function refuseEnded(
  context: AccountsContext,
  { identity, attempt }: FactorInput,
  factor: string,
): Promise<Rejection<'invalid-credentials'>> {
  const { subject: accountId, key: sessionKey = null } = identity
  const said = { ...judgeAttempt(context, attempt, null), accountId, sessionKey, factor }
  await context.trail.record({ type: 'second-factor.failed', ...said, reason: 'account-changed' })
  return invalidCredentials
}

/**
 * Raises the epoch in one swap, which names the kinds that the account may have from here on, and the session to keep.
 * So one of several parallel changes is made, and everything else is invalid before the factor changes.
 *
 * @returns the account after the swap; `null`: it has changed, or the session to keep was revoked. Then nothing was
 * written.
 */
export async function claimChange(
  context: AccountsContext,
  { account, identity: { key = null } }: Holder,
  added: string | null,
): Promise<StoredAccount | null> {
  const { id, epoch, status } = account
  for (let latest: StoredAccount | null = account, made = 0; latest && made < tries; made++) {
    if (latest.epoch !== epoch || latest.status !== status) return null
    const { enrolled } = latest
    const kept = key === null ? { keptKey: null } : await carryToEpoch(context, latest, key, oneChange)
    if (!kept) return null
    const next = added === null || enrolled.includes(added) ? enrolled : [...enrolled, added]
    const change = { enrolled: next, epoch: epoch + 1, ...kept }
    if (await context.accounts.replace(id, { epoch, status, enrolled }, change)) return { ...latest, ...change }
    // A sign-in may have repaired the column, which changes no epoch.
    latest = await context.accounts.get(id)
  }
  return null
}

/** Plans what is written of a factor that may come to count. */
export function planAdding({ trail }: AccountsContext, { account, attempt }: Holder, factor: string): FactorStep {
  return trail.plan({ type: 'factor.added', ...attempt, accountId: account.id, factor })
}

/**
 * Claims a change that activates a factor. Recovery codes without a factor are left over from an interrupted removal:
 * they are removed first, so that the owner sees the codes that will count.
 */
export async function claimActivation(
  context: AccountsContext,
  holder: Holder,
  { added, adding }: { readonly added: string; readonly adding: FactorStep },
): Promise<StoredAccount | null> {
  await adding.begin()
  const claimed = await claimChange(context, holder, added)
  if (claimed && (await readInForce(context, claimed)).length === 0) await context.recoveryCodes?.remove(claimed.id)
  return claimed
}

/**
 * Removes a kind from the column if its factor was not activated after the claim, such as a passkey that another
 * account registered at that moment. The column would demand a second factor until the next sign-in.
 */
export function dropClaim(
  context: AccountsContext,
  { account: { id: accountId }, attempt }: Pick<Holder, 'account' | 'attempt'>,
): Promise<void> {
  return cleanUp(context, { accountId, attempt }, [alignEnrolled(context, accountId)])
}

/**
 * Raises the epoch once more after the change: a sign-in since the claim has presented factors that were enough before
 * the change, or were removed since. It writes the column as the claim left it, over a repair by a sign-in in the
 * meantime. The change is made by now, so a failure here must not reject it.
 *
 * @returns the account after the swap; `null`: it has changed since the claim, so no session is kept.
 */
async function settleChange(
  context: AccountsContext,
  holder: Holder,
  { account, added = null }: { readonly account: StoredAccount; readonly added?: string | null },
): Promise<StoredAccount | null> {
  const settling = claimChange(context, { ...holder, account }, added)
  await cleanUp(context, { accountId: account.id, attempt: holder.attempt }, [settling])
  return settling.catch(() => account)
}

/** A factor that was stored after the claim. */
interface StoredLate {
  /** The account as the claim has left it. */
  readonly account: StoredAccount
  readonly added?: string | null
  /**
   * Whether it stays if the epoch could not be raised. The account is not read then.
   * @default false
   */
  readonly staysUnsettled?: boolean
  /** Whether it stays after another change of the account. */
  readonly mayStay: (latest: StoredAccount | null) => boolean
  /** Removes it again. */
  readonly takeBack: () => Promise<unknown>
}

/**
 * Settles the change that has stored a factor, and takes the factor back if another change came before it. If the epoch could not
 * be raised, the account is read: it shows whether there was another change.
 *
 * @returns the account after the swap; `null`: the factor is taken back.
 * @throws StoreError if the account cannot be read, or if the epoch could not be raised and the factor is taken back.
 */
export async function settleStored(
  context: AccountsContext,
  holder: Holder,
  { account: claimed, added = null, staysUnsettled = false, mayStay, takeBack }: StoredLate,
): Promise<StoredAccount | null> {
  const settling = claimChange(context, { ...holder, account: claimed }, added)
  await cleanUp(context, { accountId: claimed.id, attempt: holder.attempt }, [settling])
  const settled = await settling.catch(() => claimed)
  const hasFailed = settled === claimed
  if (settled && (!hasFailed || staysUnsettled)) return settled
  const latest = await context.accounts.get(claimed.id)
  if (hasFailed && latest && isAsClaimed(claimed, latest)) return latest
  if (mayStay(latest)) return endAll(context, claimed, holder.attempt)
  await takeBack()
  return hasFailed ? settling : null
}

/**
 * Whether an account is as the claim has left it, or the second raise whose answer was lost: a change that removes factors keeps no
 * session, or removes a kind.
 */
function isAsClaimed({ epoch, keptKey, passwordHash, enrolled }: StoredAccount, latest: StoredAccount): boolean {
  if (latest.epoch === epoch) return true
  const isOwn = latest.epoch === epoch + 1 && keptKey !== null && latest.keptKey === keptKey
  return isOwn && latest.passwordHash === passwordHash && enrolled.every((kind) => latest.enrolled.includes(kind))
}

/** A factor that counts from here on. */
interface Activated extends Pick<ChangedFactor, 'factor' | 'id'> {
  /** The account as the claim has left it. */
  readonly account: StoredAccount
  readonly proof: FactorProof
  readonly adding: FactorStep
  /** Removes it again. */
  readonly takeBack: () => Promise<unknown>
}

/**
 * Completes the activation of a factor: the first factor comes with recovery codes. `null`: the account has changed in the
 * meantime, so it does not have this factor.
 */
export async function finishActivation(
  context: AccountsContext,
  holder: Holder,
  { factor, id = null, account: claimed, proof, adding, takeBack }: Activated,
): Promise<FactorChanged | null> {
  const { attempt } = holder
  const of = { accountId: claimed.id, attempt }
  const takeAllBack = async (): Promise<void> => {
    await takeBack()
    // A passkey may have signed in since it was stored.
    if (factor === 'passkey') await endAll(context, claimed, attempt)
  }
  const account = await settleStored(context, holder, {
    ...{ account: claimed, added: factor, takeBack: takeAllBack },
    // An app whose enrolment an undone change has ended was refused before.
    staysUnsettled: factor === 'totp',
    mayStay: (latest) => mayStay(holder, latest, factor),
  }).catch(async (error: unknown) => {
    if (factor === 'passkey') await cleanUp(context, of, [takeAllBack()])
    throw error
  })
  if (!account) return null
  const making = firstCodes(context, account.id)
  // At once: the stores may be silent by now, and the answer waits for each step.
  await cleanUp(context, of, [alignEnrolled(context, account.id), making])
  const codes = await making.catch(() => null)
  // Its factor may have been removed before there were codes to remove with it.
  if (codes) await cleanUp(context, of, [removeIdleCodes(context, account)])
  await reportAdded(context, adding, { factor, id, account, attempt })
  return { ok: true, codes, ...(await deliverChange(context, holder, { account, factors: [proof] })) }
}

/**
 * Whether a factor stays that was stored after another change of the account. A change that removes factors, such as an undone
 * change of address, takes their kinds out of the column. A sign-in with the passkey puts the kind back, so a passkey stays after a
 * change of the roles only, and only as the first of the account.
 */
function mayStay({ account }: Holder, latest: StoredAccount | null, factor: string): boolean {
  if (!latest?.enrolled.includes(factor)) return false
  return (
    factor !== 'passkey' || (!account.enrolled.includes(factor) && latest.roles.join(' ') !== account.roles.join(' '))
  )
}

async function firstCodes({ recoveryCodes }: AccountsContext, accountId: string): Promise<readonly string[] | null> {
  const part = offered(recoveryCodes)
  return (await part.find(accountId)) ? null : part.generate(accountId)
}

/** A factor to remove, once the change is claimed. */
interface Removal extends Pick<ChangedFactor, 'factor' | 'id'> {
  readonly remove: () => Promise<boolean>
}

/**
 * Claims the change, removes the factor, then aligns the column. After any failure in between, the account either still
 * has the factor or is not asked for it. `null`: the factor remains.
 */
export async function removeFactor(
  context: AccountsContext,
  holder: Holder,
  { factor, id = null, remove }: Removal,
): Promise<FactorChanged | null> {
  const { attempt } = holder
  const removing = context.trail.plan({ type: 'factor.removed', ...attempt, accountId: holder.account.id, factor, id })
  await removing.begin()
  const claimed = await claimChange(context, holder, null)
  if (!claimed) {
    await removing.failed()
    return null
  }
  const isRemoved = await remove().catch(async (error: unknown) => {
    // What a store throws leaves open whether it is gone: what it has opened since the claim ends.
    await (isAccountsError(error) ? removing.failed() : settleOrEnd(context, holder, claimed))
    throw error
  })
  const account = await settleOrEnd(context, holder, claimed)
  await cleanUp(context, { accountId: account.id, attempt }, [removeLastCodes(context, account.id)])
  await (isRemoved ? reportRemoved(context, removing, { factor, id, account, attempt }) : removing.failed())
  // What was shown of a factor that is gone counts no longer; that of another one of its kind is shown again.
  return {
    ok: true,
    codes: null,
    ...(await deliverChange(context, holder, { account, factors: [], without: [factor] })),
  }
}

/** Returns the account after the removal of a factor. */
export async function settleOrEnd(
  context: AccountsContext,
  holder: Holder,
  claimed: StoredAccount,
): Promise<StoredAccount> {
  return (await settleChange(context, holder, { account: claimed })) ?? endAll(context, claimed, holder.attempt)
}

/** A sign-in since the claim may have revoked the session of this request, and stayed signed in. */
export async function endAll(
  context: AccountsContext,
  claimed: StoredAccount,
  attempt: JudgedAttempt,
): Promise<StoredAccount> {
  const { id } = claimed
  const ending = raiseEpoch(context, id, { decide: () => ({}), keptKey: null, keepsApiKeys: true })
  await cleanUp(context, { accountId: id, attempt }, [ending])
  const ended = await ending.catch(() => null)
  return ended?.account ?? { ...claimed, keptKey: null }
}

/** Recovery codes replace factors: without a factor they would become a factor themselves. */
async function removeLastCodes(context: AccountsContext, accountId: string): Promise<void> {
  const left = await alignEnrolled(context, accountId)
  if (left.length === 0) await context.recoveryCodes?.remove(accountId)
}

async function removeIdleCodes(context: AccountsContext, account: StoredAccount): Promise<void> {
  if ((await readInForce(context, account)).length === 0) await context.recoveryCodes?.remove(account.id)
}

interface Delivered {
  readonly account: StoredAccount
  readonly factors: readonly FactorProof[]
  readonly without?: readonly string[]
}

export async function deliverChange(
  context: AccountsContext,
  { identity, attempt, shown, account: former }: Holder,
  { account, factors, without = [] }: Delivered,
): Promise<Pick<FactorChanged, 'credentials' | 'deviceToken'>> {
  const dropped = [...oneChange, ...without]
  const credentials = await renewAfterChange(context, { identity, attempt, factors, without: dropped }, account)
  const deviceToken = context.knownDevices?.issue(account, shown.deviceToken, former) ?? null
  return { credentials, deviceToken }
}
