import { type Refusal, readRefusal } from '../answers/read-answer.ts'
import { type AuthError, clientError, isUnanswered } from '../errors.ts'
import { backoff, pause } from '../platform/time.ts'
import type { StepUps } from '../step-up/step-ups.ts'
import type { OwnRequest } from './own-request.ts'

/** The part of a presence that requests use. */
interface Visitor {
  readonly store: { turn(): number }
  token(): string | null
  ready(isQuery: boolean): Promise<void>
  transmit(request: Request, body: string | null, token: string | null): Promise<Response>
  read(response: Response, isSignIn: boolean): Promise<boolean>
  renewFrom(token: string | null): Promise<boolean>
}

/** The parts that a request is sent with. */
export interface Sender {
  readonly presence: Visitor
  readonly stepUps: StepUps
  readonly waitMs: number
}

/** Sends a request until there is an answer that the caller may have. */
export async function send(
  { presence, stepUps, waitMs }: Sender,
  { request, body, isQuery }: OwnRequest,
  isSignIn = false,
  rejects = false,
): Promise<Response> {
  const { signal } = request
  const deadline = performance.now() + waitMs
  let tries = 0
  let renewals = 0
  let proofs = 0
  let turn = 0
  let token: string | null = null
  /** Whether the user has changed since the request was sent: its response is not for the new user. */
  const isOvertaken = (): boolean => presence.store.turn() !== turn
  const mayGoOn = (): boolean => isQuery || !isOvertaken()
  const wait = async (ms: number, wakes = false): Promise<boolean> => {
    if (performance.now() + ms > deadline) return false
    await pause(ms, wakes, signal)
    signal.throwIfAborted()
    return true
  }
  const isProven = async (refusal: Partial<Refusal>, response: Response): Promise<boolean> => {
    const proof = proofs++ < 3 && stepUps.ask(refusal)
    if (!proof) return false
    if (await proof) return mayGoOn()
    if (rejects) throw clientError('STEP_UP_CANCELLED', response)
    return false
  }
  const isRemedied = async (response: Response, refusal: Partial<Refusal>): Promise<boolean> => {
    const { code } = refusal
    if (code === 'STEP_UP_REQUIRED' && !isSignIn) return isProven(refusal, response)
    const isDead = isQuery && response.headers.get('latchkey-credential') === 'invalid'
    const isStale = isDead || code === 'UNAUTHENTICATED' || code === 'CSRF_REJECTED'
    return isStale && renewals++ < 2 && (await presence.renewFrom(token)) && mayGoOn()
  }
  const isRepeated = async (response: Response): Promise<boolean> => {
    const { status, headers } = response
    if (!mayGoOn()) throw clientError('NETWORK', response)
    if (isOvertaken() || ((await presence.read(response, isSignIn)) && renewals++ < 2)) return true
    if (status === 429 || (status === 503 && isQuery))
      return wait(Number(headers.get('retry-after')) * 1000 + backoff(tries++))
    return isRemedied(response, await readRefusal(response))
  }
  for (;;) {
    try {
      await presence.ready(isQuery)
      token = presence.token()
      turn = presence.store.turn()
      const response = await presence.transmit(request, body, token)
      if (!(await isRepeated(response))) return response
    } catch (error) {
      const mayRepeat = isQuery && isUnanswered(error as AuthError) && !signal.aborted
      if (!mayRepeat || !(await wait(backoff(tries++), true))) throw error
    }
  }
}
