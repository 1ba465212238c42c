import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { readEnrolled, readShowable } from '../../sign-in/enrolled-kinds.ts'
import type { StoredAccount } from '../../store/account-store.ts'

/** The column of the account is repaired, so that a kind that was removed is not requested again. */
export async function startStepUp(
  context: AccountsContext,
  { identity, kinds }: Parameters<Accounts['startStepUp']>[0],
): ReturnType<Accounts['startStepUp']> {
  const { subject, key: sessionKey = null } = identity
  const account = sessionKey === null ? null : await context.accounts.get(subject)
  if (account?.status !== 'active') return { challenge: null, factors: [] }
  const enrolled = await readEnrolled(context, account)
  const factors = (await readShowable(context, account.id, enrolled)).filter((kind) => kinds.includes(kind))
  if (factors.length === 0) {
    return { challenge: null, factors: enrolled.kinds.length === 0 ? await firstFactors(context, account) : [] }
  }
  const { id: accountId, epoch } = account
  const asked = { accountId, epoch, purpose: 'step-up', proven: [], kinds: factors, sessionKey } as const
  return { challenge: await context.challenges.create(asked), factors }
}

/** A code of a mail and a provider count as step-up only if the account has no password. */
async function firstFactors(
  { signInCodes, providers }: AccountsContext,
  { id, passwordHash }: StoredAccount,
): Promise<readonly string[]> {
  if (passwordHash !== null) return ['password']
  const isLinked = ((await providers?.links.listByAccount(id)) ?? []).length > 0
  return [...(isLinked ? ['provider'] : []), ...(signInCodes === null ? [] : ['email-code'])]
}
