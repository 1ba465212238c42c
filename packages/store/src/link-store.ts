/** An account's identity at a provider: who it is there never changes (OpenID Connect Core §2, `iss` and `sub`). */
export interface StoredLink {
  /** The provider's `iss`, byte for byte. */
  readonly issuer: string
  /** The provider's `sub`. */
  readonly subject: string
  readonly accountId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/**
 * Which accounts are linked to which identities at providers. Test an implementation with `describeLinkStore` of
 * `@latchkey/store/testing`.
 */
export interface LinkStore {
  /** Adds a link. `false`: that identity is linked already, to whichever account; nothing is ever overwritten. */
  insert(link: StoredLink): Promise<boolean>
  /** Returns the link of an identity, or `null`. The object is the caller's own. */
  get(issuer: string, subject: string): Promise<StoredLink | null>
  /** Returns all links of an account, in any order. */
  listByAccount(accountId: string): Promise<readonly StoredLink[]>
  /** Removes the link of an identity if it belongs to that account; `true` for exactly one caller. */
  remove(link: Pick<StoredLink, 'issuer' | 'subject' | 'accountId'>): Promise<boolean>
}
