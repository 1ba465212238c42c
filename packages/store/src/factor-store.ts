/** A proof that somebody holds a factor: which one, and when it was shown. */
export interface FactorProof {
  /** `password`, `totp`, `passkey`, … */
  readonly kind: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** An enrolled factor of an account: a TOTP secret, a recovery code, a passkey. */
export interface StoredFactor {
  readonly id: string
  readonly accountId: string
  /** `totp`, `recovery-code`, `passkey`, … */
  readonly kind: string
  /** 1 when inserted, one more after each successful `replace`. */
  readonly version: number
  /** Opaque to the store; secrets in it are sealed or hashed. */
  readonly value: string
}

/** Durable factors: the sister of `RecordStore` without expiry. Prove one with `describeFactorStore`. */
export interface FactorStore {
  /** True when stored with version 1; false when the id exists: nothing is overwritten. */
  insert(factor: Omit<StoredFactor, 'version'>): Promise<boolean>
  /** The factor, or `null`. The object is the caller's own. */
  get(id: string): Promise<StoredFactor | null>
  /** Compare and swap on the version: true for exactly one caller. Never creates. */
  replace(id: string, version: number, value: string): Promise<boolean>
  /** True for exactly one caller. */
  remove(id: string): Promise<boolean>
  /** Every factor of the account, in an order of the store's own. */
  listByAccount(accountId: string): Promise<readonly StoredFactor[]>
}
