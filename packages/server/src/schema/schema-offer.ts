/** What owners may change of their account here. */
export interface OfferedLife {
  /** Their address. */
  readonly email: boolean
  /** Whether they have an account at all. */
  readonly deletion: boolean
}
