/** What a factor shows of a person: something they know, have or are. Two factors of one category are not two. */
export type FactorCategory = 'know' | 'have' | 'know+have' | 'are+have'

/** A factor that was proven, and when. */
export interface FactorProof {
  /** `password`, `totp`, `passkey`, … */
  readonly kind: string
  /** Epoch milliseconds. */
  readonly at: number
  /** Omitted: proven before proofs had a category. */
  readonly category?: FactorCategory
}

/** An enrolled factor of an account: a TOTP secret, a recovery code, a passkey. */
export interface StoredFactor {
  readonly id: string
  readonly accountId: string
  /** `totp`, `recovery-code`, `passkey`, … */
  readonly kind: string
  /**
   * A whole number of at least 1, incremented by each successful `replace`. A version of an id is never used again, not after
   * a removal either: a write that was held up since before it would bring an old secret back. `firstVersion` draws one.
   */
  readonly version: number
  /** Opaque to the store; secrets in it are sealed or hashed. */
  readonly value: string
}

/** Durable factors: like `RecordStore`, without expiry. Test an implementation with `describeFactorStore`. */
export interface FactorStore {
  /** True when stored, with a version that no earlier factor of the id had; false when the id exists. Never overwrites. */
  insert(factor: Omit<StoredFactor, 'version'>): Promise<boolean>
  /** Returns the factor, or `null`. The object is the caller's own. */
  get(id: string): Promise<StoredFactor | null>
  /** Compare and swap on the version: true for exactly one caller. Never creates. */
  replace(id: string, version: number, value: string): Promise<boolean>
  /** True for exactly one caller. */
  remove(id: string): Promise<boolean>
  /**
   * As `remove`, where its account has another factor of the same kind: however many are removed at once, one is left. False
   * for the last one, which stays.
   */
  removeUnlessLast(id: string): Promise<boolean>
  /** Returns all factors of the account, in any order. */
  listByAccount(accountId: string): Promise<readonly StoredFactor[]>
}
