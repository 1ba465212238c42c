import { type AccountStore, canonicalEmail, type StoredAccount } from '@latchkey/accounts'
import { describeHash } from '@latchkey/password'

/** A user of another library, with the values of the new account. */
export type OldUser = Pick<StoredAccount, 'id' | 'email' | 'name' | 'roles' | 'passwordHash'> & {
  readonly status: 'active' | 'unverified' | 'disabled'
}

/** The reason why a user was not moved. An administrator corrects the user, and the next run moves it. */
export type Left = 'no-address' | 'address-taken' | 'unknown-hash' | 'second-factor' | 'several-passwords'

/** The result of a move, with the ids of the old table. */
export interface MovedUsers {
  readonly moved: number
  /** The number of moved accounts without a password. Their owners choose a password by mail. */
  readonly withoutPassword: number
  readonly left: readonly { readonly id: string; readonly why: Left }[]
}

/** Stores the second factors of a user and returns their kinds. `null`: a factor cannot be moved. */
export type MoveFactors = (accountId: string) => Promise<readonly string[] | null>

/**
 * Moves one user. The account is disabled until its second factors are stored. A second run completes an interrupted
 * move and does not change accounts that are complete.
 */
export async function moveAccount(
  accounts: AccountStore,
  user: OldUser,
  moveFactors: MoveFactors = async () => [],
): Promise<Left | 'moved' | 'there'> {
  const email = canonicalEmail(user.email)
  if (email === null) return 'no-address'
  if (user.passwordHash !== null && describeHash(user.passwordHash) === null) return 'unknown-hash'
  const { status, ...known } = user
  await accounts.insert({ ...known, email, status: 'disabled', epoch: 0 })
  const account = await accounts.get(user.id)
  if (!account) return 'address-taken'
  // Each change by the owner or an administrator raises the epoch.
  if (account.epoch > 0) return 'there'
  const enrolled = await moveFactors(user.id)
  if (enrolled === null) return 'second-factor'
  // The password may have changed since an interrupted run.
  const { roles, passwordHash } = known
  const next = { email, roles, passwordHash, status, enrolled, epoch: 1 }
  return (await accounts.replace(user.id, { epoch: 0 }, next)) ? 'moved' : 'there'
}

/** Moves users one after another. */
export async function moveAll(
  users: readonly OldUser[],
  move: (user: OldUser) => ReturnType<typeof moveAccount>,
): Promise<MovedUsers> {
  const left: { id: string; why: Left }[] = []
  let moved = 0
  let withoutPassword = 0
  for (const user of users) {
    const outcome = await move(user)
    if (outcome === 'moved') {
      moved++
      if (user.passwordHash === null) withoutPassword++
    } else if (outcome !== 'there') left.push({ id: user.id, why: outcome })
  }
  return { moved, withoutPassword, left }
}
