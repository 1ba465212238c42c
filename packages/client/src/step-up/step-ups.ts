import type { Refusal } from '../answers/read-answer.ts'
import type { Factor } from '../state/auth-state.ts'
import { addTo } from '../state/listeners.ts'
import type { Identified, Page } from '../state/page.ts'
import type { StepUpRequest } from '../state/step-up-request.ts'

/**
 * Requests a proof from the user, once for all requests that wait for it. Returns whether the user gave it; `null` if there is no
 * listener, or the account has no suitable factor.
 */
export async function askProof<User extends Identified>(
  page: Page<User>,
  { challenge = '', factors = [], maxAgeSeconds = 0 }: Partial<Refusal>,
): Promise<boolean | null> {
  if (!factors[0] || !page.stepUps.size) return null
  if (!page.stepUp)
    page.proof = new Promise((resolve) => {
      const decide = (isProven: boolean): void => {
        show(page, null)
        resolve(isProven)
      }
      show(page, {
        factors: factors as readonly Factor[],
        maxAgeSeconds,
        verify: async (given) => {
          await page.prove(page, given, challenge, maxAgeSeconds)
          decide(true)
        },
        cancel: () => decide(false),
      })
    })
  return page.proof as Promise<boolean>
}

/** Adds a listener of requests for proofs. The request is cancelled with its last listener. */
export function listenToStepUps<User extends Identified>(
  page: Page<User>,
  listener: (request: StepUpRequest | null) => void,
): () => void {
  const remove = addTo(page.stepUps, listener)
  if (page.stepUp) listener(page.stepUp)
  return () => {
    remove()
    if (page.stepUp) show(page, page.stepUp)
    queueMicrotask(() => page.stepUps.size || page.stepUp?.cancel())
  }
}

function show<User extends Identified>(page: Page<User>, request: StepUpRequest | null): void {
  page.stepUp = request
  ;[...page.stepUps].at(-1)?.[0](request)
}
