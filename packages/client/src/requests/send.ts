import { readRefusal } from '../answers/read-answer.ts'
import { cancelledError, networkError } from '../errors.ts'
import { backoff, pause } from '../platform/time.ts'
import type { StepUps } from '../step-up/step-ups.ts'
import type { OwnRequest } from './own-request.ts'

/** What `Presence` does for requests. */
interface Visitor {
  readonly store: { turn(): number }
  ready(isQuery: boolean): Promise<void>
  token(): string | null
  transmit(request: Request, body: ArrayBuffer | null, token: string | null): Promise<Response>
  read(response: Response, isSignIn: boolean): Promise<boolean>
  renewFrom(token: string | null): Promise<boolean>
}

/** What requests are sent with. */
export interface Sender {
  readonly presence: Visitor
  readonly stepUps: StepUps
  readonly waitMs: number
}

/** A request on its way, through all of its tries. */
interface Call extends OwnRequest {
  readonly deadline: number
  /** Whether it signs in, and takes what the answer brings itself. */
  readonly isSignIn: boolean
  /** Whether a cancelled step-up is an error of its own. */
  readonly rejects: boolean
  tries: number
  renewals: number
  proofs: number
}

/** How one try was sent. */
interface Sent {
  readonly response: Response
  readonly token: string | null
  readonly turn: number
}

/** Sends a request until there is an answer that the caller may have. */
export async function send(
  sender: Sender,
  request: OwnRequest,
  { isSignIn = false, rejects = false }: { readonly isSignIn?: boolean; readonly rejects?: boolean } = {},
): Promise<Response> {
  const deadline = performance.now() + sender.waitMs
  const call: Call = { ...request, deadline, isSignIn, rejects, tries: 0, renewals: 0, proofs: 0 }
  for (;;) {
    const response = await attempt(sender, call)
    if (response) return response
  }
}

/** Returns the answer, or nothing if the request is to be sent again. */
async function attempt(sender: Sender, call: Call): Promise<Response | null> {
  try {
    const sent = await transmit(sender.presence, call)
    return await judge(sender, call, sent)
  } catch (error) {
    const waitMs = backoff(call.tries++)
    const mayWait = call.isQuery && isMissed(error) && performance.now() + waitMs < call.deadline
    if (!mayWait || call.request.signal.aborted) throw error
    await pause(waitMs, call.request.signal, true)
    call.request.signal.throwIfAborted()
    return null
  }
}

async function transmit(presence: Visitor, { request, body, isQuery }: Call): Promise<Sent> {
  await presence.ready(isQuery)
  const token = presence.token()
  const turn = presence.store.turn()
  return { response: await presence.transmit(request, body, token), token, turn }
}

/** The network, or a service that did not decide; not a cancelled step-up. */
function isMissed(error: unknown): boolean {
  const { code, status } = error as { readonly code?: string; readonly status?: number }
  return code === undefined || code === 'NETWORK' || status === 429 || status === 503
}

async function judge(sender: Sender, call: Call, sent: Sent): Promise<Response | null> {
  const { presence } = sender
  const { response, turn } = sent
  if (presence.store.turn() !== turn) return overtaken(call, response)
  if ((await presence.read(response, call.isSignIn)) && call.renewals++ < 2) return again(response)
  const waitMs = waitOf(call, response)
  if (waitMs !== null) {
    await pause(waitMs, call.request.signal)
    call.request.signal.throwIfAborted()
    return again(response)
  }
  return (await isRemedied(sender, call, sent)) ? again(response) : response
}

/** Another user has signed in, or nobody is there any more: this is no answer for who asks now. */
function overtaken(call: Call, response: Response): null {
  if (!call.isQuery) throw networkError('overtaken', response)
  return again(response)
}

function again(response: Response): null {
  void response.body?.cancel()
  return null
}

/** Returns how long to wait before the request may be sent again; `null` if it may not, or not in time. */
function waitOf(call: Call, { status, headers }: Response): number | null {
  if (status !== 429 && !(status === 503 && call.isQuery)) return null
  const seconds = Number(headers.get('retry-after'))
  const waitMs = seconds > 0 ? seconds * 1000 + backoff(0) : backoff(call.tries++)
  return performance.now() + waitMs < call.deadline ? waitMs : null
}

async function isRemedied(sender: Sender, call: Call, sent: Sent): Promise<boolean> {
  const { presence, stepUps } = sender
  const { response, token, turn } = sent
  const refusal = await readRefusal(response)
  const code = refusal?.code
  if (refusal && code === 'STEP_UP_REQUIRED' && !call.isSignIn && call.proofs++ < 3) {
    const proof = stepUps.ask(refusal)
    if (!proof) return false
    if (await proof) return call.isQuery || presence.store.turn() === turn
    if (call.rejects) throw cancelledError(response)
    return false
  }
  const isDead = call.isQuery && response.headers.get('latchkey-credential') === 'invalid'
  const isStale = code === 'UNAUTHENTICATED' || code === 'CSRF_REJECTED' || isDead
  if (!isStale || call.renewals++ >= 2) return false
  return (await presence.renewFrom(token)) && (call.isQuery || presence.store.turn() === turn)
}
