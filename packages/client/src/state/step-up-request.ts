import type { Factor } from '../state/auth-state.ts'
import type { Proof } from './proof.ts'

/** A request for a proof of the user. Requests to the service wait for the proof. */
export interface StepUpRequest {
  /** Factors that are accepted. */
  readonly factors: readonly Factor[]
  /** How old the proof may be. */
  readonly maxAgeSeconds: number
  /** Sends the proof; rejects if it is wrong, and can be called again. */
  verify(proof: Proof): Promise<void>
  /** Cancels the request for a proof: waiting requests fail. */
  cancel(): void
}
