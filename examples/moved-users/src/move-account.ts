import { type AccountStore, canonicalEmail, type StoredAccount } from '@latchkey/accounts'
import { describeHash } from '@latchkey/password'

/** A user of another library, as it becomes an account. */
export type OldUser = Pick<StoredAccount, 'id' | 'email' | 'name' | 'roles' | 'passwordHash'> & {
  readonly status: 'active' | 'unverified' | 'disabled'
}

/** Why a user was not moved: an administrator decides, and the move is run again. */
export type Left = 'no-address' | 'address-taken' | 'unknown-hash' | 'second-factor'

/** What came of a move, with the ids of the old table. */
export interface MovedUsers {
  readonly moved: number
  /** Accounts without a password: their owners ask for one. */
  readonly withoutPassword: number
  readonly left: readonly { readonly id: string; readonly why: Left }[]
}

/** Puts the second factors of a user into the stores, and returns their kinds; `null`: one of them cannot be moved. */
export type MoveFactors = (accountId: string) => Promise<readonly string[] | null>

/**
 * Moves one user: no one signs in to the account before its second factors are there. A move that was interrupted goes on where
 * it stopped, and an account that was moved before stays as its owner has made it since.
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
  // What its owner or an administrator has done since has raised it.
  if (account.epoch > 0) return 'there'
  const enrolled = await moveFactors(user.id)
  if (enrolled === null) return 'second-factor'
  // With the password of today, should the first run have been some time ago.
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
