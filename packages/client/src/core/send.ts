import { readRefusal } from '../answers/read-answer.ts'
import { type AuthError, clientError, isUnanswered } from '../errors.ts'
import { backoff, pause } from '../platform/time.ts'
import { readCredential, ready, renewFrom } from '../presence/presence.ts'
import { transmit } from '../requests/ask.ts'
import type { OwnRequest } from '../requests/own-request.ts'
import type { Identified, Page } from '../state/page.ts'
import { askProof } from '../step-up/step-ups.ts'

/** Sends a request until there is an answer that the caller may have. */
export async function send<User extends Identified>(
  page: Page<User>,
  own: OwnRequest,
  isSignIn = false,
  rejects = false,
): Promise<Response> {
  const { isQuery } = own
  const { signal } = own.request
  const deadline = performance.now() + page.waitMs
  let renewals = 0
  let proofs = 0
  const isRemedied = async (response: Response, token: string | null): Promise<boolean> => {
    if ((await readCredential(page, response, isSignIn)) && renewals++ < 2) return true
    const refusal = await readRefusal(response)
    const { code } = refusal
    if (code === 'STEP_UP_REQUIRED' && !isSignIn) {
      const isProven = proofs++ < 3 ? await askProof(page, refusal) : null
      if (isProven === false && rejects) throw clientError('STEP_UP_CANCELLED', response)
      return !!isProven
    }
    const isDead = isQuery && response.headers.get('latchkey-credential') === 'invalid'
    const isStale = isDead || code === 'UNAUTHENTICATED' || code === 'CSRF_REJECTED'
    return isStale && renewals++ < 2 && renewFrom(page, token)
  }
  for (let tries = 0; ; ) {
    let delay = backoff(tries)
    let isBusy = false
    const isLate = (): boolean => performance.now() + delay > deadline
    try {
      await ready(page, isQuery)
      const { token, turn } = page
      /** Whether the user is the one who sent the request: its response is not for another user. */
      const isSame = (): boolean => page.turn === turn
      const response = await transmit(page, own, token)
      const { status, headers } = response
      if (!isSame()) {
        if (isQuery) continue
        throw clientError('NETWORK', response)
      }
      isBusy = status === 429 || (status === 503 && isQuery)
      delay += Number(headers.get('retry-after')) * 1000
      if (!isBusy && (await isRemedied(response, token)) && (isQuery || isSame())) continue
      if (!isBusy || isLate()) return response
    } catch (error) {
      if (!isQuery || !isUnanswered(error as AuthError) || signal.aborted || isLate()) throw error
    }
    tries++
    await pause(delay, !isBusy, signal)
    signal.throwIfAborted()
  }
}
