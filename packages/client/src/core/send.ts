import { type Refusal, readRefusal } from '../answers/read-answer.ts'
import { type AuthError, clientError, isUnanswered } from '../errors.ts'
import { backoff, pause } from '../platform/time.ts'
import { readCredential, ready, renewFrom } from '../presence/presence.ts'
import { transmit } from '../requests/ask.ts'
import type { OwnRequest } from '../requests/own-request.ts'
import type { Identified, Page } from '../state/page.ts'
import { askProof } from '../step-up/step-ups.ts'

/** Sends a request until a response is final, or the time is over. */
export async function send<User extends Identified>(
  page: Page<User>,
  own: OwnRequest,
  isSignIn = false,
  rejects = false,
): Promise<Response> {
  const { waitMs = 15_000 } = page
  const { isQuery } = own
  const { signal } = own.request
  const deadline = performance.now() + waitMs
  let tries = 0
  let renewals = 0
  let proofs = 0
  /** Waits before the next try; `false` if the time is over before. */
  const wait = async (ms: number, wakes?: boolean): Promise<boolean> => {
    const delay = ms + backoff(tries++)
    if (performance.now() + delay > deadline) return false
    await pause(delay, wakes, signal)
    signal.throwIfAborted()
    return true
  }
  const isProven = async (response: Response, refusal: Partial<Refusal>): Promise<boolean> => {
    const proof = proofs++ < 3 ? await askProof(page, refusal) : null
    if (proof === false && rejects) throw clientError('STEP_UP_CANCELLED', response)
    return !!proof
  }
  const isRemedied = async (response: Response, token: string | null): Promise<boolean> => {
    const { status, headers } = response
    if (status === 429 || (status === 503 && isQuery)) return wait(Number(headers.get('retry-after')) * 1000)
    if ((await readCredential(page, response, isSignIn)) && renewals++ < 2) return true
    const refusal = await readRefusal(response)
    const { code } = refusal
    if (code === 'STEP_UP_REQUIRED' && !isSignIn) return isProven(response, refusal)
    const isDead = isQuery && headers.get('latchkey-credential') === 'invalid'
    const isStale = isDead || code === 'UNAUTHENTICATED' || code === 'CSRF_REJECTED'
    return isStale && renewals++ < 2 && renewFrom(page, token)
  }
  for (;;) {
    try {
      await ready(page, isQuery)
      const { token, turn } = page
      /** A mutation is only for the user who sent it. */
      const mayGoOn = (): boolean => isQuery || page.turn === turn
      const response = await transmit(page, own, token)
      if (!mayGoOn()) throw clientError('NETWORK', response)
      if (page.turn === turn && !((await isRemedied(response, token)) && mayGoOn())) return response
    } catch (error) {
      const mayRepeat = isQuery && isUnanswered(error as AuthError) && !signal.aborted
      if (!mayRepeat || !(await wait(0, true))) throw error
    }
  }
}
