import type { HttpRequest } from '@latchkey/http'
import { hostOfClientId } from '../clients/client-host.ts'
import { formTargetOf, isOnThisMachine, redirectTargetOf } from '../clients/redirect-uri.ts'
import type { RegisteredClient } from '../clients/registered-client.ts'
import type { AuthorizationServer } from '../context/authorization-server.ts'
import type { SignedIn } from '../context/server-options.ts'
import { refuse } from '../responses/refusal.ts'
import { answerUrl } from './answers.ts'
import type { AuthorizationParts } from './authorization-parts.ts'
import { allow, giveCode, shownOf } from './give-code.ts'
import { findStillAsking } from './identify-client.ts'
import type { PendingRequest } from './pending-requests.ts'
import { resumePath } from './proceed.ts'
import { findNeed, judgeSession, needsSignIn } from './sign-in-need.ts'

/** A request as a sign-in page or a consent page presents it. */
type PresentedRequest = NonNullable<Awaited<ReturnType<AuthorizationServer['readRequest']>>>
type ConsentDecision = Parameters<AuthorizationServer['decide']>[1]
type ConsentVerdict = Awaited<ReturnType<AuthorizationServer['decide']>>

interface Waiting {
  readonly pending: PendingRequest
  readonly client: RegisteredClient
}

/** Returns the waiting request of the browser that sent `browser`, or `null`. */
export async function readRequest(
  parts: AuthorizationParts,
  browser: HttpRequest,
  handle: string | null,
): Promise<PresentedRequest | null> {
  const waiting = await findWaiting(parts, browser, handle)
  if (!waiting) return null
  const { pending, client } = waiting
  const { scopes, redirectUri, loginHint, acrValues } = pending.request
  const session = await parts.signedIn(browser)
  const grant = session && (await parts.grants.find(session.subject, client.id))
  return {
    client: { id: client.id, name: client.name, kind: client.kind },
    clientHost: hostOfClientId(client.id),
    scopes,
    newScopes: scopes.filter((scope) => !grant?.scopes.includes(scope)),
    redirectTarget: redirectTargetOf(redirectUri),
    formTarget: formTargetOf(redirectUri),
    isAnsweredHere: isOnThisMachine(redirectUri),
    loginHint,
    acrValues,
    needs: findNeed(session && judgeSession(session), pending.request, { since: pending.since, now: parts.now() }),
    subject: session?.subject ?? null,
    token: session && parts.forms.createToken(formOf(session, pending)),
  }
}

/** Decides on a waiting request. Of several calls only one succeeds. */
export async function decide(
  parts: AuthorizationParts,
  browser: HttpRequest,
  { handle, token, decision }: ConsentDecision,
): Promise<ConsentVerdict> {
  const waiting = await findWaiting(parts, browser, handle)
  if (!waiting) return { ok: false, reason: 'unknown' }
  const { pending, client } = waiting
  const signedIn = await parts.signedIn(browser)
  if (!signedIn) return { ok: false, reason: 'signed-out' }
  if (!parts.forms.verifyToken(token, formOf(signedIn, pending))) return { ok: false, reason: 'token' }
  const session = judgeSession(signedIn)
  const times = { since: pending.since, now: parts.now() }
  // The consent page can be opened without the sign-in that the request requires.
  if (decision === 'allow' && needsSignIn(session, pending.request, times)) {
    return { ok: true, location: resumePath(pending.handle) }
  }
  if (!(await parts.pending.consume(pending))) return { ok: false, reason: 'unknown' }
  if (decision !== 'allow') return { ok: true, location: deny(parts, browser, pending, session) }
  const grant = await allow(parts, browser, { ...pending.request, shown: shownOf(client, pending.request) }, session)
  return { ok: true, location: await giveCode(parts, pending.request, session, grant) }
}

function deny(
  parts: AuthorizationParts,
  browser: HttpRequest,
  { request }: PendingRequest,
  { subject, key }: SignedIn,
): string {
  const { clientId, scopes } = request
  const by = { accountId: subject, sessionKey: key, address: parts.addressOf(browser) }
  parts.emit({ type: 'grant.denied', ...by, clientId, scopes })
  return answerUrl(parts, request, refuse('access_denied', 'The user denied the request.'))
}

async function findWaiting(
  parts: AuthorizationParts,
  browser: HttpRequest,
  handle: string | null,
): Promise<Waiting | null> {
  const pending = await parts.pending.read(browser, handle)
  const client = pending && (await findStillAsking(parts, pending.request))
  return client && { pending, client }
}

/** The values that the token of a form is bound to. */
function formOf(session: SignedIn, { handle }: PendingRequest): string {
  return `consent ${session.key} ${handle}`
}
