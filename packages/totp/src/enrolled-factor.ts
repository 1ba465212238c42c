/** A factor of an account as its owner may see it. */
export interface EnrolledFactor {
  readonly kind: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Epoch milliseconds; `null`: never. */
  readonly lastUsedAt: number | null
}
