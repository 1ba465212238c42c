import type { DocumentStore, StoredDocument } from '@latchkey/store'
import {
  type CollectionItem,
  createCollection,
  defineStoredShape,
  documentId,
  isStoredCount,
  isStoredText,
  listPages,
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

/** A stored link. */
export interface ProviderLink extends NewProviderLink {
  readonly id: string
}

/** A link of an account; `null`: its value cannot be read. */
export interface StoredLink extends Pick<ProviderLink, 'id' | 'accountId'> {
  readonly issuer: string | null
  readonly createdAt: number | null
}

/** The links from users of providers to accounts: each user has at most one account. */
export interface ProviderLinks {
  /** Returns the stored link, or `null` if this user is linked already, to whichever account. */
  insert(link: NewProviderLink): Promise<ProviderLink | null>
  get(issuer: string, subject: string): Promise<ProviderLink | null>
  /** Returns the links of the account that can be read. */
  listByAccount(accountId: string): Promise<readonly ProviderLink[]>
  /** Returns all links of the account. */
  listStored(accountId: string): Promise<readonly StoredLink[]>
  /**
   * Removes the link of the account. With `createdAt` it removes only the link that was made at that time, even if the
   * removal of another sign-in method has raised its version. Without `createdAt` its value is not read. `true` for
   * exactly one caller.
   */
  remove(link: Pick<StoredLink, 'id' | 'accountId'> & Partial<Pick<StoredLink, 'createdAt'>>): Promise<boolean>
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

/** Returns the id of the link of a user. */
export function linkIdOf({ issuer, subject }: Pick<NewProviderLink, 'issuer' | 'subject'>): string {
  return documentId(issuer, subject)
}

export function createProviderLinks({ documents, storedVersion }: ProviderLinksOptions): ProviderLinks {
  const links = createCollection({ documents, name: linkCollection, shape, storedVersion })
  const collections = [linkCollection]

  async function listStored(accountId: string): Promise<readonly (ProviderLink | StoredLink)[]> {
    const owned = await listPages((page) => documents.listByOwner(accountId, { ...page, collections }))
    return owned.map((document) => readLink(document) ?? { id: document.id, accountId, issuer: null, createdAt: null })
  }

  return {
    async insert(link) {
      const { issuer, subject, accountId, createdAt } = link
      const added = await links.insert(linkIdOf(link), accountId, { issuer, subject, createdAt })
      return added && toLink(added)
    },
    async get(issuer, subject) {
      const found = await links.get(linkIdOf({ issuer, subject }))
      return found && toLink(found)
    },
    listStored,
    listByAccount: async (accountId) => (await listStored(accountId)).filter((link) => 'subject' in link),
    remove: ({ id, accountId, createdAt = null }) =>
      untilFirst(async () => {
        const found = await documents.get(linkCollection, id)
        if (found?.owner !== accountId) return false
        if (createdAt !== null && shape.parse(found.value).createdAt !== createdAt) return false
        return (await links.removeVersion(found)) || overtaken
      }),
  }
}

/** Returns a link, or `null`: its value cannot be read. */
export function readLink({ value, ...stored }: StoredDocument): ProviderLink | null {
  try {
    return toLink({ ...stored, value: shape.parse(value) })
  } catch {
    return null
  }
}

function toLink({ id, owner, value: { issuer, subject, createdAt } }: CollectionItem<LinkValue>): ProviderLink {
  return { id, issuer, subject, accountId: owner ?? '', createdAt }
}
