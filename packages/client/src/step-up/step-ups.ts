import type { Refusal } from '../answers/read-answer.ts'
import type { Factor } from '../state/auth-state.ts'
import { createListeners } from '../state/create-listeners.ts'
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

/** The proofs that requests wait for: one at a time, shared by all. */
export interface StepUps {
  /** Returns whether the user has given a proof; `null` without a listener. */
  ask(refusal: Partial<Refusal>): Promise<boolean> | null
  listen(listener: (request: StepUpRequest | null) => void): () => void
  cancel(): void
}

/** Sends the proof for a challenge, or leads the user to the page that takes the proof. */
export type Prove = (proof: Proof, challenge: string, maxAgeSeconds: number) => Promise<unknown>

/** Creates the step-ups of a client. */
export function createStepUps(prove: Prove): StepUps {
  const listeners = createListeners<[StepUpRequest | null]>()
  let open: StepUpRequest | null = null
  let proof: Promise<boolean> | null = null
  const show = (request: StepUpRequest | null): void => {
    open = request
    listeners.newest()?.(request)
  }
  const openStepUp = ({ challenge = '', factors = [], maxAgeSeconds = 0 }: Partial<Refusal>): Promise<boolean> =>
    new Promise((resolve) => {
      const decide = (isProven: boolean): void => {
        show(null)
        resolve(isProven)
      }
      show({
        factors: factors as readonly Factor[],
        maxAgeSeconds,
        verify: async (given) => {
          await prove(given, challenge, maxAgeSeconds)
          decide(true)
        },
        cancel: () => decide(false),
      })
    })
  return {
    ask: (refusal) => {
      if (!refusal.maxAgeSeconds || !listeners.newest()) return null
      if (!open) proof = openStepUp(refusal)
      return proof
    },
    listen: (listener) => {
      const remove = listeners.add(listener)
      if (open) listener(open)
      return () => {
        remove()
        if (open) show(open)
        queueMicrotask(() => listeners.newest() || open?.cancel())
      }
    },
    cancel: () => open?.cancel(),
  }
}
