import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { AuthorizationRequest } from '../checks/authorization-request.ts'
import { hostOfClientId } from '../clients/client-host.ts'
import { canBeImpersonated, isOnThisMachine, needsNoConsent } from '../clients/redirect-uri.ts'
import type { RegisteredClient } from '../clients/registered-client.ts'
import { hasRoom } from '../context/room-left.ts'
import type { SignedIn } from '../context/server-options.ts'
import { type Grant, isShownAs } from '../grants/grants.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'
import { answerUrl, showFlood, showRefusal } from './answers.ts'
import type { AuthorizationParts } from './authorization-parts.ts'
import { allow, giveCode, shownOf } from './give-code.ts'
import type { PendingRequest } from './pending-requests.ts'
import { type JudgedSession, judgeSession, needsSignIn } from './sign-in-need.ts'

/** A request that has passed every check. */
export interface Passed {
  readonly client: RegisteredClient
  readonly request: AuthorizationRequest
  /** `null`: the request is new. */
  readonly pending: PendingRequest | null
}

/** Answers a request with a redirect to the sign-in page, to the consent page, or to the client with a code. */
export async function proceed(parts: AuthorizationParts, browser: HttpRequest, passed: Passed): Promise<HttpResponse> {
  const { request, pending } = passed
  const signedIn = await parts.signedIn(browser)
  const session = signedIn && judgeSession(signedIn)
  const times = { since: pending?.since ?? null, now: parts.now() }
  if (!session || needsSignIn(session, request, times)) return askToSignIn(parts, browser, passed, session)
  const known = await findConsent(parts, passed, session)
  if (!known) return askForConsent(parts, browser, passed)
  if (pending && !(await parts.pending.consume(pending))) return showRefusal(parts, browser, usedUp)
  // Of concurrent answers only the first counts, and nothing of the others is stored.
  const grant = known === 'granted' ? await allow(parts, browser, request, session) : known
  return parts.responses.redirect(await giveCode(parts, request, session, grant))
}

/** Refuses a request that no longer waits. */
export const usedUp: Refusal = refuse(
  'invalid_request',
  'The request is unknown in this browser, expired or already answered.',
)

async function askToSignIn(
  parts: AuthorizationParts,
  browser: HttpRequest,
  { request, pending }: Passed,
  session: JudgedSession | null,
): Promise<HttpResponse> {
  const isOther = request.subject !== null && session !== null && session.subject !== request.subject
  const isAsked = pending !== null && session !== null && session.authenticatedAt >= pending.since
  // A sign-in without a time satisfies no maximum age, even if it is repeated.
  const isUndated = pending !== null && session?.authenticatedAt === 0
  if (request.prompt.includes('none') || (isOther && isAsked) || isUndated) {
    const refusal = refuse('login_required', 'The user is not signed in as the request requires.')
    if (request.document && !session) return showRefusal(parts, browser, refusal)
    return parts.responses.redirect(answerUrl(parts, request, refusal))
  }
  const kept = await keep(parts, browser, { request, pending })
  if (!kept) return showFlood(parts, browser)
  const { handle, headers } = kept
  const query = new URLSearchParams({ return_to: resumePath(handle), handle })
  if (request.loginHint !== null) query.set('login_hint', request.loginHint)
  if (request.acrValues.length > 0) query.set('acr_values', request.acrValues.join(' '))
  // A signed-in user must sign in again.
  if (session) query.set('prompt', 'login')
  return parts.responses.redirect(`${parts.pages.signIn}?${query}`, headers)
}

async function askForConsent(parts: AuthorizationParts, browser: HttpRequest, passed: Passed): Promise<HttpResponse> {
  const { request } = passed
  if (request.prompt.includes('none')) {
    const refusal = refuse('consent_required', 'The user has not consented to the request.')
    return parts.responses.redirect(answerUrl(parts, request, refusal))
  }
  const kept = await keep(parts, browser, passed)
  if (!kept) return showFlood(parts, browser)
  const { handle, headers } = kept
  return parts.responses.redirect(`${parts.pages.consent}?${new URLSearchParams({ handle })}`, headers)
}

/** Returns the stored consent to a request; `granted`: the user need not be asked; `null`: the user must be asked. */
async function findConsent(
  parts: AuthorizationParts,
  passed: Passed,
  session: SignedIn,
): Promise<Grant | 'granted' | null> {
  const { client, request } = passed
  if (request.prompt.includes('consent')) return null
  const grant = await parts.grants.find(session.subject, client.id)
  const isUnregistered = hostOfClientId(client.id) !== null
  // Scopes that were allowed under another name, or to another redirect, do not count.
  const remembered = isUnregistered ? grant?.shown?.scopes : grant?.scopes
  const isCovered = grant !== null && request.scopes.every((scope) => remembered?.includes(scope))
  if (isUnregistered) {
    // Any program of a computer can take a port, and any application can take a scheme.
    const isSite = request.redirectUri.startsWith('https:') && !isOnThisMachine(request.redirectUri)
    return isSite && isCovered && isShownAs(grant, shownOf(client, request)) ? grant : null
  }
  // If another application could receive the response, an earlier consent does not count.
  const isOwn = needsNoConsent(client, request.redirectUri, parts.issuer)
  const isRemembered = client.firstParty ? isOwn : !canBeImpersonated(client, request.redirectUri)
  if (isRemembered && isCovered) return grant
  if (isOwn) return 'granted'
  const { subject } = session
  const answer = await parts.consent({ client, scopes: request.scopes, subject })
  return answer === 'granted' ? answer : null
}

/** Returns `null` if the request must be stored and its sender has reached the limit. */
async function keep(
  parts: AuthorizationParts,
  browser: HttpRequest,
  { request, pending }: Pick<Passed, 'request' | 'pending'>,
): Promise<{ readonly handle: string; readonly headers: HttpResponse['headers'] } | null> {
  if (pending) return { handle: pending.handle, headers: [] }
  const kept = await parts.pending.keep(browser, request, () => hasRoom(parts, browser))
  return kept && { handle: kept.handle, headers: [['Set-Cookie', kept.setCookie]] }
}

export const authorizePath = '/authorize'

/** Returns the path that continues a waiting request. */
export function resumePath(handle: string): string {
  return `${authorizePath}?handle=${encodeURIComponent(handle)}`
}
