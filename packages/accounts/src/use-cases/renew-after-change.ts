import type { FactorProof } from '@latchkey/store'
import type { JudgedAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { SignedInIdentity } from '../contract/signed-in-identity.ts'
import type { SessionCredentials } from '../sign-in/issue-credentials.ts'
import type { StoredAccount } from '../store/account-store.ts'
import { cleanUp, exceptFor } from './account-changes.ts'

/** The user who has changed the account, and the proofs of the change. */
export interface Continuation {
  readonly identity: SignedInIdentity
  readonly attempt: JudgedAttempt
  /** The factors that were presented for the change: each replaces the earlier proof of its kind. */
  readonly factors: readonly FactorProof[]
  /**
   * The kinds whose earlier proofs count no longer.
   * @default []
   */
  readonly without?: readonly string[]
}

/**
 * Revokes everything else, and renews the credential of a session. The old credential is removed last, so that other
 * requests of the same device are answered in the meantime; it is invalid when this answer is sent. A family stays
 * valid, with the new proof, unless its refreshes leave no moment to write it. The change is made by now, and everything
 * else that was open is invalid by its epoch, so other failures are events.
 *
 * @param account as it is after the change.
 * @throws StoreError if the old credential is perhaps still valid: the change must not be acknowledged.
 */
export async function renewAfterChange(
  context: AccountsContext,
  { identity, attempt, factors, without = [] }: Continuation,
  account: StoredAccount,
): Promise<SessionCredentials | null> {
  const { id, epoch, keptKey } = account
  const of = { accountId: id, attempt }
  await cleanUp(context, of, [context.sessions.revokeAll(id, exceptFor(account))])
  if (keptKey === null) return null
  if (identity.via !== 'cookie') {
    await cleanUp(context, of, [proveInFamily(context, keptKey, { epoch, factors, without })])
    return null
  }
  const replacing = context.sessions.regenerate(id, keptKey, {
    epoch,
    factors: withFresh(identity.factors, factors, without),
  })
  const issued = await replacing.catch(() => null)
  if (issued) return { delivery: 'session', ...issued }
  await cleanUp(context, of, [replacing])
  await endKept(context, account, keptKey)
  return null
}

interface FamilyProofs extends Pick<Continuation, 'factors' | 'without'> {
  readonly epoch: number
}

async function proveInFamily(
  { refreshTokens }: AccountsContext,
  key: string,
  { epoch, factors, without = [] }: FamilyProofs,
): Promise<void> {
  const family = await refreshTokens.read(key)
  if (family) await refreshTokens.renew(family, { epoch, factors, without })
}

/**
 * Without a new credential there is no cookie to set, and the old credential must not remain valid: either call is enough.
 * The epoch is raised, because a second raise that failed may have carried the old credential to the present epoch.
 */
async function endKept(
  { accounts, sessions }: AccountsContext,
  { id, epoch }: StoredAccount,
  keptKey: string,
): Promise<void> {
  const [raised, revoked] = await Promise.allSettled([
    accounts.replace(id, { epoch, keptKey }, { epoch: epoch + 1, keptKey: null }),
    sessions.revoke(id, keptKey),
  ])
  const isRaised = raised.status === 'fulfilled' && raised.value
  if (revoked.status === 'rejected' && !isRaised) throw revoked.reason
}

function withFresh(
  proven: readonly FactorProof[] = [],
  fresh: readonly FactorProof[],
  without: readonly string[],
): readonly FactorProof[] {
  const isGone = (kind: string): boolean => without.includes(kind) || fresh.some((proof) => proof.kind === kind)
  return [...proven.filter(({ kind }) => !isGone(kind)), ...fresh]
}
