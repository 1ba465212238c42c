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
  let tries = 0
  let renewals = 0
  let proofs = 0
  let turn = 0
  let token: string | null = null
  /** Whether the user has changed since the request was sent: its response is not for the new user. */
  const isOvertaken = (): boolean => page.turn !== turn
  const wait = async (ms: number, wakes = false): Promise<boolean> => {
    if (performance.now() + ms > deadline) return false
    await pause(ms, wakes, signal)
    signal.throwIfAborted()
    return true
  }
  const isRemedied = async (response: Response): Promise<boolean> => {
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
  const isRepeated = async (response: Response): Promise<boolean> => {
    const { status, headers } = response
    if (isOvertaken() && !isQuery) throw clientError('NETWORK', response)
    if (isOvertaken() || ((await readCredential(page, response, isSignIn)) && renewals++ < 2)) return true
    if (status === 429 || (status === 503 && isQuery))
      return wait(Number(headers.get('retry-after')) * 1000 + backoff(tries++))
    return (await isRemedied(response)) && (isQuery || !isOvertaken())
  }
  for (;;) {
    try {
      await ready(page, isQuery)
      token = page.token
      turn = page.turn
      const response = await transmit(page, own, token)
      if (!(await isRepeated(response))) return response
    } catch (error) {
      const mayRepeat = isQuery && isUnanswered(error as AuthError) && !signal.aborted
      if (!mayRepeat || !(await wait(backoff(tries++), true))) throw error
    }
  }
}
