import { escapeHtml, type HttpRequest, type HttpResponse } from '@latchkey/http'
import type { ServerContext } from '../context/server-context.ts'
import { plainPage } from '../responses/error-page.ts'

/** Marks a request that a page of this server has sent. */
const marker = 'via=here'

/** Whether the browser may have omitted its `Strict` session cookie, because another site sent the request. */
export function hidesSession(
  { sessionSameSite }: Pick<ServerContext, 'sessionSameSite'>,
  request: Pick<HttpRequest, 'target' | 'headers'>,
): boolean {
  if (sessionSameSite !== 'Strict') return false
  const site = request.headers.get('sec-fetch-site') ?? null
  return site === null ? !request.target.endsWith(marker) : site === 'cross-site'
}

/**
 * Returns a page of this server that repeats the request, now with the session cookie. In a popup, the page keeps the client's
 * window as its opener, because later pages cannot restore it.
 */
export function askFromHere({ responses }: Pick<ServerContext, 'responses'>, target: string): HttpResponse {
  const same = target.endsWith(marker) ? target : `${target}${target.includes('?') ? '&' : '?'}${marker}`
  const to = escapeHtml(same)
  const content = `<meta http-equiv="refresh" content="0;url=${to}"><p><a href="${to}">Continue</a></p>`
  return responses.page(200, (nonce) => plainPage(nonce, 'One moment…', content), { keepsOpener: true })
}
