import type { Refusal } from '../answers/read-answer.ts'
import type { Factor } from '../state/auth-state.ts'
import { createListeners } from '../state/create-listeners.ts'
import type { Proof } from './proof.ts'

/** What a page asks its user for, so that the requests that wait for it can go on. */
export interface StepUpRequest {
  /** Factors that are accepted. */
  readonly factors: readonly Factor[]
  /** How old the proof may be. */
  readonly maxAgeSeconds: number
  /** Sends the proof; rejects if it is wrong, and can be called again. */
  verify(proof: Proof): Promise<void>
  /** Ends the request; what waits for it fails. */
  cancel(): void
}

/** The proofs that requests wait for: one at a time, shared by all. */
export interface StepUps {
  /** Returns whether a proof was given; `null` if nobody can be asked. */
  ask(refusal: Refusal): Promise<boolean> | null
  listen(listener: (request: StepUpRequest | null) => void): () => void
  cancel(): void
}

/** Sends the proof of a challenge, or leads where that is given. */
export type Prove = (proof: Proof, challenge: string, maxAgeSeconds: number) => Promise<void>

interface Open {
  readonly request: StepUpRequest
  readonly proof: Promise<boolean>
}

/** Creates the step-ups of a client. */
export function createStepUps(prove: Prove): StepUps {
  const listeners = createListeners<[StepUpRequest | null]>()
  let open: Open | null = null
  const end = (): void => {
    open = null
    listeners.newest()?.(null)
  }
  const cancelUnheard = (): void => {
    if (!listeners.newest()) open?.request.cancel()
  }
  return {
    ask: (refusal) => {
      if (refusal.maxAgeSeconds === undefined || !listeners.newest()) return null
      if (!open) {
        open = openStepUp(refusal, prove, end)
        listeners.newest()?.(open.request)
      }
      return open.proof
    },
    listen: (listener) => {
      const remove = listeners.add(listener)
      if (open) listener(open.request)
      return () => {
        remove()
        if (open) listeners.newest()?.(open.request)
        queueMicrotask(cancelUnheard)
      }
    },
    cancel: () => open?.request.cancel(),
  }
}

function openStepUp(refusal: Refusal, prove: Prove, end: () => void): Open {
  const { challenge = '', factors = [], maxAgeSeconds = 0 } = refusal
  let decide = (_isProven: boolean): void => {}
  const proof = new Promise<boolean>((resolve) => {
    decide = resolve
  })
  void proof.then(end)
  const verify = async (given: Proof): Promise<void> => {
    await prove(given, challenge, maxAgeSeconds)
    decide(true)
  }
  const request = { factors: factors as readonly Factor[], maxAgeSeconds, verify, cancel: () => decide(false) }
  return { proof, request }
}
