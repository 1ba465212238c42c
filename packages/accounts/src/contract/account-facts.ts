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
  /**
   * `false`: the request came through a grant to a third party, which is limited to its scopes and the roles of the
   * account.
   */
  readonly firstParty: boolean
  /** The factors proven for the session or family, with their times and categories. */
  readonly factors: readonly Required<FactorProof>[]
  /** The kinds of second factors that the account may have enrolled. */
  readonly enrolledFactors: readonly string[]
  /**
   * The account may sign in without a second factor until this time, epoch milliseconds; `null`: it has one or needs
   * none.
   */
  readonly enrollmentDueAt: number | null
  /** Whether that time has passed: the account can only set up a factor. */
  readonly mustEnroll: boolean
  /** The public key of the session or refresh family. */
  readonly key: string
  /**
   * The `lineage` of the session or refresh family, which renewals keep. A family that is bound to a session has the
   * lineage of the session.
   */
  readonly lineage: string
  readonly via: 'cookie' | 'bearer'
  readonly epoch: number
  /** The id of the API key of the request. Omitted: the request has no API key. */
  readonly apiKey?: string
  /** The administrator who acts as the account; `null`: its owner. */
  readonly impersonator: string | null
}
