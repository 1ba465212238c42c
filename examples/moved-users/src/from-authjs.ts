import type { AccountStore } from '@latchkey/accounts'
import { moveAccount, moveAll, type OldUser } from './move-account.ts'
import { createLinkMover, type LinkOptions, type MovedWithLinks, type OldLink } from './provider-links.ts'

/** A line that `authjs.sql` writes: a user with the rows of its table of accounts. */
export interface AuthJsUser {
  readonly id: string
  readonly email: string | null
  readonly name: string | null
  /** Whether `emailVerified` has a time: a link in a mail was used. Auth.js sets no time for users of a provider. */
  readonly verified: boolean
  /** The hash that a Credentials provider of the application reads. */
  readonly passwordHash: string | null
  readonly links: readonly OldLink[]
}

/** Its `issuers` have the ids of the providers in Auth.js as names. */
export interface AuthJsMove extends LinkOptions {
  readonly users: readonly AuthJsUser[]
  readonly accounts: AccountStore
  /**
   * The providers that have verified the address of every user. A user whose links are all of these providers is
   * `active`.
   */
  readonly verifyingProviders: readonly string[]
  /** Returns the roles of the new account. */
  readonly rolesOf: (user: AuthJsUser) => readonly string[]
  /** The status of all other users without a verified address, as in `BetterAuthMove`. */
  readonly unproven: 'active' | 'unverified'
}

/** Moves the users of Auth.js with their links to providers. */
export async function moveFromAuthJs(options: AuthJsMove): Promise<MovedWithLinks> {
  const { users, accounts } = options
  const linksOf = new Map(users.map(({ id, links }) => [id, links]))
  const { moveLinks, unlinked } = createLinkMover(options)
  const moved = await moveAll(
    users.map((user) => toOldUser(user, options)),
    (old) =>
      moveAccount(accounts, old, async (id) => {
        await moveLinks(id, linksOf.get(id) ?? [])
        return []
      }),
  )
  return { ...moved, unlinked }
}

function toOldUser(user: AuthJsUser, { verifyingProviders, rolesOf, unproven }: AuthJsMove): OldUser {
  const { id, email, name, verified, passwordHash, links } = user
  // Auth.js does not store which provider the address is from.
  const isProven =
    verified || (links.length > 0 && links.every(({ provider }) => verifyingProviders.includes(provider)))
  return {
    ...{ id, passwordHash, email: email ?? '', name: name || email || '' },
    roles: rolesOf(user),
    status: isProven ? 'active' : unproven,
  }
}
