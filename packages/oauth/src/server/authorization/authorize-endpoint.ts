import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { readState } from '../checks/check-state.ts'
import type { Endpoint } from '../context/endpoint.ts'
import { hasRoom } from '../context/room-left.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { readForm, readQuery } from '../parameters/read-request.ts'
import { refuse } from '../responses/refusal.ts'
import { answerUrl, showFlood, showRefusal } from './answers.ts'
import type { AuthorizationParts } from './authorization-parts.ts'
import { checkRequest } from './check-request.ts'
import { findStillAsking, identifyClient } from './identify-client.ts'
import { authorizePath, proceed, resumePath, usedUp } from './proceed.ts'
import { askFromHere, hidesSession } from './same-site-page.ts'

/** The authorization endpoint (RFC 6749 §3.1, OpenID Connect Core §3.1.2). */
export function createAuthorizeEndpoint(parts: AuthorizationParts): Endpoint {
  return {
    path: authorizePath,
    methods: ['GET', 'POST'],
    isPage: true,
    answer: (_context, request) => answer(parts, request),
  }
}

async function answer(parts: AuthorizationParts, browser: HttpRequest): Promise<HttpResponse> {
  if (browser.method === 'POST') return keepPosted(parts, browser)
  if (hidesSession(parts, browser)) return askFromHere(parts, browser.target)
  const query = readQuery(browser)
  if (!query) return showRefusal(parts, browser, unreadable)
  const handle = query.get('handle')
  // In a request of a client, `handle` is an unknown parameter, which is ignored.
  if (handle === null || query.names.includes('client_id')) return judge(parts, browser, query)
  const posted = await parts.posted.read(handle)
  return posted ? judge(parts, browser, posted) : resume(parts, browser, handle)
}

const unreadable = refuse('invalid_request', 'The request has too many parameters or is not a valid form.')

/** Checks the client, the redirect, the request, and then the user. */
async function judge(parts: AuthorizationParts, browser: HttpRequest, parameters: Parameters): Promise<HttpResponse> {
  const asked = await identifyClient(parts, browser, parameters)
  if (!asked.ok) return showRefusal(parts, browser, asked, asked.error === 'temporarily_unavailable' ? 429 : 400)
  const { client, document, redirectUri } = asked
  const checked = await checkRequest(parts, asked)
  if (checked.ok) return proceed(parts, browser, { client, request: checked.request, pending: null })
  // A stranger can name any site as the redirect of an unregistered client (RFC 9700 §4.11.2).
  if (document && !(await parts.signedIn(browser))) return showRefusal(parts, browser, checked)
  const recipient = { redirectUri, state: readState(asked.parameters) }
  return parts.responses.redirect(answerUrl(parts, recipient, checked))
}

/** Continues a waiting request, if its client may still make it. */
async function resume(parts: AuthorizationParts, browser: HttpRequest, handle: string): Promise<HttpResponse> {
  const pending = await parts.pending.read(browser, handle)
  const client = pending && (await findStillAsking(parts, pending.request))
  if (!client) return showRefusal(parts, browser, usedUp)
  return proceed(parts, browser, { client, request: pending.request, pending })
}

/** A post from another site has no session cookie, so it is checked after a page of this site has repeated it. */
async function keepPosted(parts: AuthorizationParts, browser: HttpRequest): Promise<HttpResponse> {
  const form = await readForm(browser)
  if (!form) return showRefusal(parts, browser, unreadable)
  const handle = await parts.posted.keep(form, () => hasRoom(parts, browser))
  return handle === null ? showFlood(parts, browser) : parts.responses.redirect(resumePath(handle))
}
