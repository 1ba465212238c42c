import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { showFlood, showRefusal } from '../authorization/answers.ts'
import type { AuthorizationParts } from '../authorization/authorization-parts.ts'
import { askFromHere, hidesSession } from '../authorization/same-site-page.ts'
import { formTargetOf, withParameters } from '../clients/redirect-uri.ts'
import type { RegisteredClient } from '../clients/registered-client.ts'
import type { Endpoint } from '../context/endpoint.ts'
import { hasRoom } from '../context/room-left.ts'
import type { SignedIn } from '../context/server-options.ts'
import { type IdTokenHint, readIdTokenHint } from '../issuing/id-token-hint.ts'
import type { Parameters } from '../parameters/parameters.ts'
import { readForm, readQuery } from '../parameters/read-request.ts'
import { plainLogoutPage } from '../responses/logout-page.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'
import { endSession } from './end-session.ts'

const path = '/end-session'

/** Logout at the request of a client (OpenID Connect RP-Initiated Logout §2). */
export function createEndSessionEndpoint(parts: AuthorizationParts): Endpoint {
  return { path, methods: ['GET', 'POST'], isPage: true, answer: (_context, request) => answer(parts, request) }
}

async function answer(parts: AuthorizationParts, browser: HttpRequest): Promise<HttpResponse> {
  if (browser.method === 'POST') return answerPost(parts, browser)
  if (hidesSession(parts, browser)) return askFromHere(parts, browser.target)
  const query = readQuery(browser)
  const handle = query?.get('handle') ?? null
  const isWhole = known.some((name) => query?.names.includes(name))
  // In a request of a client, `handle` is an unknown parameter, which is ignored.
  const parameters = handle === null || isWhole ? query : await parts.posted.read(handle)
  return parameters ? judge(parts, browser, parameters, null) : showRefusal(parts, browser, unreadable)
}

const unreadable = refuse('invalid_request', 'The request has too many parameters, has expired or is not a valid form.')

/**
 * Checks the form of the own page at once. A post from another site has no session cookie, so a redirect repeats the request.
 */
async function answerPost(parts: AuthorizationParts, browser: HttpRequest): Promise<HttpResponse> {
  const form = await readForm(browser)
  if (!form) return showRefusal(parts, browser, unreadable)
  const token = form.get('token')
  if (token !== null) return judge(parts, browser, form, token)
  const handle = await parts.posted.keep(form, () => hasRoom(parts, browser))
  if (handle === null) return showFlood(parts, browser)
  return parts.responses.redirect(`${path}?${new URLSearchParams({ handle })}`)
}

/** A logout request that has passed every check. */
interface Logout {
  readonly client: RegisteredClient | null
  readonly hint: IdTokenHint | null
  /** The redirect after the logout; `null`: the browser stays. */
  readonly redirectUri: string | null
  readonly state: string | null
}

async function judge(
  parts: AuthorizationParts,
  browser: HttpRequest,
  parameters: Parameters,
  token: string | null,
): Promise<HttpResponse> {
  const logout = await readLogout(parts, parameters)
  if ('ok' in logout) return showRefusal(parts, browser, logout)
  const session = await parts.signedIn(browser)
  if (!session) return leave(parts, browser, logout)
  const isConfirmed = parts.forms.verifyToken(token, formOf(session))
  if (!isConfirmed && !isOfSession(logout.hint, session)) return ask(parts, browser, logout, session)
  return signOut(parts, browser, logout, session)
}

const known: readonly string[] = [
  ...['id_token_hint', 'logout_hint', 'client_id', 'post_logout_redirect_uri', 'state', 'ui_locales'],
]

async function readLogout(parts: AuthorizationParts, parameters: Parameters): Promise<Logout | Refusal> {
  if (known.some((name) => parameters.isRepeated(name)))
    return refuse('invalid_request', 'A parameter was sent more than once.')
  const token = parameters.get('id_token_hint')
  const hint = token === null ? null : await readIdTokenHint(parts, token)
  const clientId = parameters.get('client_id')
  if (clientId !== null && hint !== null && hint.clientId !== clientId) {
    return refuse('invalid_request', '"id_token_hint" does not match "client_id".')
  }
  const client = await parts.clients.find(clientId ?? hint?.clientId ?? null)
  const redirectUri = parameters.get('post_logout_redirect_uri')
  if (redirectUri !== null && !client?.postLogoutRedirectUris.includes(redirectUri)) {
    return refuse(
      'invalid_request',
      '"post_logout_redirect_uri" must be registered for the client. Send "client_id" or "id_token_hint".',
    )
  }
  return { client, hint, redirectUri, state: parameters.get('state') }
}

/**
 * Without a confirmation, only the session of the id token is revoked: strangers can have an id token of another
 * session.
 */
function isOfSession(hint: IdTokenHint | null, session: SignedIn): boolean {
  return hint !== null && hint.sessionKey === lineageOf(session)
}

function lineageOf({ key, lineage = key }: SignedIn): string {
  return lineage
}

async function signOut(
  parts: AuthorizationParts,
  browser: HttpRequest,
  logout: Logout,
  session: SignedIn,
): Promise<HttpResponse> {
  // The session last: if a store fails before, the user is still signed in and can repeat the logout.
  await endSession(parts, session.subject, lineageOf(session))
  const headers = (await parts.signOut?.(browser, session)) ?? []
  browser.waitUntil?.(parts.background.settled())
  const response = await leave(parts, browser, logout)
  return { ...response, headers: [...response.headers, ...headers] }
}

async function leave(
  { responses, logoutPage }: AuthorizationParts,
  browser: HttpRequest,
  { redirectUri, state }: Logout,
): Promise<HttpResponse> {
  if (redirectUri !== null) return responses.redirect(withParameters(redirectUri, { state }))
  return logoutPage ? logoutPage({ step: 'done' }, browser) : plainLogoutPage(responses, { step: 'done' })
}

async function ask(
  { forms, responses, logoutPage }: AuthorizationParts,
  browser: HttpRequest,
  { client, redirectUri, state }: Logout,
  session: SignedIn,
): Promise<HttpResponse> {
  const fields = {
    token: forms.createToken(formOf(session)),
    ...(client && { client_id: client.id }),
    ...(redirectUri !== null && { post_logout_redirect_uri: redirectUri }),
    ...(state !== null && { state }),
  }
  const formTargets = redirectUri === null ? [] : [formTargetOf(redirectUri)]
  const shown = { step: 'ask', action: path, fields, clientName: client?.name ?? null, formTargets } as const
  return logoutPage ? logoutPage(shown, browser) : plainLogoutPage(responses, shown)
}

/** The values that the token of the form is bound to. */
function formOf(session: SignedIn): string {
  return `logout ${session.key}`
}
