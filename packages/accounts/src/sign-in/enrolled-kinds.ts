import type { FactorStore } from '@latchkey/store'
import type { AccountsContext } from '../context/accounts-context.ts'
import { enrolledKinds, secondFactorKinds } from '../factors/second-factor-kinds.ts'
import type { SecondFactorKind } from '../factors/second-factors.ts'
import type { StoredAccount } from '../store/account-store.ts'

type Parts = Pick<AccountsContext, 'accounts' | 'factors' | 'totp' | 'passkeys' | 'recoveryCodes'>

/**
 * Returns the kinds of second factors that the account has: those that the store of factors holds, and those of its column
 * that this release does not know. The column is repaired where it says otherwise; without a store it is all there is.
 */
export async function readEnrolled(context: Parts, account: StoredAccount): Promise<readonly string[]> {
  if (context.factors === null) return account.enrolled
  const enrolled = await readStored(context.factors, account)
  const isTakenOut = account.enrolled.some((kind) => !enrolled.includes(kind))
  if (!(await repair(context, account, enrolled)) || !isTakenOut) return enrolled
  // A factor that was put in force between the two stands in the column again, and counts.
  const latest = await readStored(context.factors, account)
  await repair(context, { ...account, enrolled }, latest)
  return latest
}

/** Returns those kinds as they are stored now, and leaves the column as it is. */
export async function readInForce(context: Parts, account: StoredAccount): Promise<readonly string[]> {
  return context.factors === null ? account.enrolled : readStored(context.factors, account)
}

async function readStored(factors: FactorStore, { id, enrolled }: StoredAccount): Promise<readonly string[]> {
  const stored = new Set((await factors.listByAccount(id)).map(({ kind }) => kind))
  return [...enrolledKinds.filter((kind) => stored.has(kind)), ...enrolled.filter((kind) => !isKnown(kind))]
}

function isKnown(kind: string): boolean {
  return enrolledKinds.some((known) => known === kind)
}

/** Whether it has written. A swap on what was read, without a new epoch: nothing ends. A change in the meantime has written the column itself. */
async function repair(
  { accounts }: Parts,
  { id, epoch, enrolled }: StoredAccount,
  next: readonly string[],
): Promise<boolean> {
  const isSame = next.length === enrolled.length && next.every((kind) => enrolled.includes(kind))
  return !isSame && accounts.replace(id, { epoch, enrolled }, { enrolled: next })
}

/**
 * Writes into the column what the store of factors holds, after a change of them. A sign-in that came between the column
 * and the factor may have taken the kind away again.
 */
export async function alignEnrolled(context: Parts, id: string): Promise<readonly string[]> {
  const account = await context.accounts.get(id)
  return account ? readEnrolled(context, account) : []
}

/**
 * Returns the kinds of second factors that the account can show now: a disabled one cannot be, a spent set neither.
 *
 * @param enrolled as `readEnrolled` has just read them: what they say is not read again.
 */
export async function readShowable(
  { totp, passkeys, recoveryCodes }: Parts,
  accountId: string,
  enrolled: readonly string[],
): Promise<readonly SecondFactorKind[]> {
  const [app, codes] = await Promise.all([
    enrolled.includes('totp') ? totp?.find(accountId) : null,
    recoveryCodes?.find(accountId),
  ])
  const showable = {
    totp: Boolean(app && !app.isDisabled),
    passkey: passkeys !== null && enrolled.includes('passkey'),
    'recovery-code': (codes?.remaining ?? 0) > 0,
  }
  return secondFactorKinds.filter((kind) => showable[kind])
}
