import type { FactorProof } from '@latchkey/store'

/** The identity of a signed-in request. */
export interface SignedInIdentity {
  readonly subject: string
  readonly key?: string | null
  readonly via?: 'cookie' | 'bearer' | null
  readonly factors?: readonly FactorProof[]
  /** The epoch of the account as the request has read it. */
  readonly epoch?: number | null
  /** The account has to set up a second factor before anything else. */
  readonly mustEnroll?: boolean
  /** The administrator who acts as the account. Omitted or `null`: its owner. */
  readonly impersonator?: string | null
}
