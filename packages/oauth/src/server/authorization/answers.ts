import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { AuthorizationRequest } from '../checks/authorization-request.ts'
import { withParameters } from '../clients/redirect-uri.ts'
import type { ServerContext } from '../context/server-context.ts'
import { plainErrorPage } from '../responses/error-page.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'

/** The redirect of a response. */
export type Recipient = Pick<AuthorizationRequest, 'redirectUri' | 'state'>

/** Returns the redirect of a response, with the unchanged `state` and always with `iss` (RFC 9207 §2). */
export function answerUrl(
  { issuer }: Pick<ServerContext, 'issuer'>,
  { redirectUri, state }: Recipient,
  answer: { readonly code: string } | Refusal,
): string {
  const own = 'code' in answer ? { code: answer.code } : { error: answer.error, error_description: answer.description }
  return withParameters(redirectUri, { ...own, state, iss: issuer })
}

/** Shows a refusal to the user. A redirect goes only to an address that belongs to the client. */
export async function showRefusal(
  { errorPage, responses }: Pick<ServerContext, 'errorPage' | 'responses'>,
  browser: HttpRequest,
  { error, description, headers = [] }: Refusal,
  status = 400,
): Promise<HttpResponse> {
  const shown = { status, error, description }
  const page = await (errorPage ? errorPage(shown, browser) : plainErrorPage(responses, shown))
  return headers.length === 0 ? page : { ...page, headers: [...page.headers, ...headers] }
}

/** Shows that too many requests from the address of a browser are pending: 429 with `Retry-After`. */
export async function showFlood(
  context: Pick<ServerContext, 'errorPage' | 'responses' | 'pendingLimit'>,
  browser: HttpRequest,
): Promise<HttpResponse> {
  const response = await showRefusal(context, browser, tooMany, 429)
  const retryAfter = ['Retry-After', String(context.pendingLimit.policy.windowSeconds)] as const
  return { ...response, headers: [...response.headers, retryAfter] }
}

/** Refuses a request that would be stored for an unknown sender. */
const tooMany = refuse('temporarily_unavailable', 'Too many requests from this address are pending. Try again later.')
