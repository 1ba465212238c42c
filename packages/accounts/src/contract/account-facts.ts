import type { RefreshFamily } from '@latchkey/sessions'
import type { FactorProof } from '@latchkey/store'

/** An account that is signed in to the service itself, or through a grant to a third party. */
export interface AccountFacts extends Pick<RefreshFamily, 'scopes' | 'grant' | 'keyBinding'> {
  readonly kind: 'account'
  /** The account's id. */
  readonly subject: string
  /** The roles that the account has now; none while it must enrol. */
  readonly roles: readonly string[]
  /** `'first-party'` for the service itself. */
  readonly clientId: string
  /** `false`: it came through a grant to a third party, which may do what its scopes name and the roles allow. */
  readonly firstParty: boolean
  /** What was proven for the session or family, when, and its category. */
  readonly factors: readonly Required<FactorProof>[]
  /** The kinds of second factors that the account may have enrolled. */
  readonly enrolledFactors: readonly string[]
  /** Until when it may do without a second factor, epoch milliseconds; `null`: it has one, or needs none. */
  readonly enrollmentDueAt: number | null
  /** Whether that time is over: it may do nothing but set up a factor. */
  readonly mustEnroll: boolean
  /** The public key of the session or refresh family. */
  readonly key: string
  /**
   * The `lineage` of the session or refresh family, which renewals keep; of a family that ends with a session, that of the
   * session.
   */
  readonly lineage: string
  readonly via: 'cookie' | 'bearer'
  readonly epoch: number
  /** The id of the API key that was shown. Omitted: it was none. */
  readonly apiKey?: string
  /** The administrator who acts as the account; `null`: its owner. */
  readonly impersonator: string | null
}
