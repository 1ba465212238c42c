import type { DocumentStore } from '@latchkey/store'
import {
  type CollectionItem,
  createCollection,
  defineStoredShape,
  documentId,
  isStoredCount,
  isStoredText,
  overtaken,
  untilFirst,
} from '@latchkey/store/internal'

/** A user of a provider, and the account that they sign in to. */
export interface NewProviderLink {
  /** The provider's `iss`, byte for byte. */
  readonly issuer: string
  /** The provider's `sub`. */
  readonly subject: string
  readonly accountId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** A link as it is stored. */
export interface ProviderLink extends NewProviderLink {
  readonly version: string
}

/** Which accounts users of providers sign in to: each user to one. */
export interface ProviderLinks {
  /** Returns the stored link, or `null` if this user is linked already, to whichever account. */
  insert(link: NewProviderLink): Promise<ProviderLink | null>
  get(issuer: string, subject: string): Promise<ProviderLink | null>
  listByAccount(accountId: string): Promise<readonly ProviderLink[]>
  /**
   * Removes the link of the account, with `createdAt` only the link that was made then, also if the removal of another way in has
   * given it a new version. True for exactly one caller.
   */
  remove(link: Omit<NewProviderLink, 'createdAt'> & Partial<Pick<NewProviderLink, 'createdAt'>>): Promise<boolean>
}

type LinkValue = Pick<ProviderLink, 'issuer' | 'subject' | 'createdAt'>

const shape = defineStoredShape<LinkValue>({
  name: 'provider link',
  members: { issuer: isStoredText, subject: isStoredText, createdAt: isStoredCount },
})

export interface ProviderLinksOptions {
  readonly documents: DocumentStore
  /** The version of stored values to write. */
  readonly storedVersion: () => number
}

/** The collection of links. */
export const linkCollection = 'provider-link'

export function createProviderLinks({ documents, storedVersion }: ProviderLinksOptions): ProviderLinks {
  const links = createCollection({ documents, name: linkCollection, shape, storedVersion })
  return {
    async insert({ issuer, subject, accountId, createdAt }) {
      const added = await links.insert(documentId(issuer, subject), accountId, { issuer, subject, createdAt })
      return added && toLink(added)
    },
    async get(issuer, subject) {
      const found = await links.get(documentId(issuer, subject))
      return found && toLink(found)
    },
    listByAccount: async (accountId) => (await links.listByOwner(accountId)).map(toLink),
    remove: ({ issuer, subject, accountId, createdAt }) =>
      untilFirst(async () => {
        const found = await links.get(documentId(issuer, subject))
        if (found?.owner !== accountId || found.value.createdAt !== (createdAt ?? found.value.createdAt)) return false
        return (await links.removeVersion(found)) || overtaken
      }),
  }
}

function toLink({ owner, version, value: { issuer, subject, createdAt } }: CollectionItem<LinkValue>): ProviderLink {
  return { issuer, subject, accountId: owner ?? '', createdAt, version }
}
