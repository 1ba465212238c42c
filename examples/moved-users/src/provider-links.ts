import { type Accounts, isAccountsError, unknownAttempt } from '@latchkey/accounts'
import type { MovedUsers } from './move-account.ts'

/** A user at a provider, as the old system has stored it. */
export interface OldLink {
  /** The name of the provider in the old system, for example `google`. */
  readonly provider: string
  /** The `sub` of the user at the provider. */
  readonly subject: string
  /** Epoch milliseconds. */
  readonly createdAt?: number
}

/** A link of a moved user that the service does not have. The owner signs in by mail and links the provider again. */
export interface Unlinked {
  readonly id: string
  readonly provider: string
  /** `provider-in-use`: another account has the link and keeps it. */
  readonly why: 'unknown-provider' | 'no-subject' | 'provider-in-use'
}

export type MovedWithLinks = MovedUsers & { readonly unlinked: readonly Unlinked[] }

export interface LinkOptions {
  /** Returned by `await server.accounts()`. */
  readonly links: Pick<Accounts, 'importProviderLink'>
  /**
   * The issuer of each provider, for example `{ google: 'https://accounts.google.com' }`. A link of another provider is
   * not moved.
   */
  readonly issuers: Readonly<Record<string, string>>
}

export interface LinkMover {
  moveLinks(accountId: string, links: readonly OldLink[]): Promise<void>
  readonly unlinked: readonly Unlinked[]
}

/** Creates the part of a move that links accounts to users of providers, and lists the links that are not moved. */
export function createLinkMover({ links, issuers }: LinkOptions): LinkMover {
  const unlinked: Unlinked[] = []
  const move = async (accountId: string, { provider, ...link }: OldLink): Promise<Unlinked['why'] | null> => {
    if (!Object.hasOwn(issuers, provider)) return 'unknown-provider'
    if (!link.subject) return 'no-subject'
    try {
      await links.importProviderLink({ ...link, issuer: issuers[provider] ?? '', accountId, attempt: unknownAttempt })
      return null
    } catch (error) {
      if (isAccountsError(error) && error.code === 'PROVIDER_IN_USE') return 'provider-in-use'
      throw error
    }
  }
  return {
    unlinked,
    async moveLinks(accountId, olds) {
      for (const old of olds) {
        const why = await move(accountId, old)
        if (why) unlinked.push({ id: accountId, provider: old.provider, why })
      }
    },
  }
}
