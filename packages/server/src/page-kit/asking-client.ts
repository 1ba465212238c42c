import type { HttpRequest } from '@latchkey/http'
import type { WaitingAuthorization } from '../options/oauth/authorization-server.ts'
import { clientName } from './html/client-name.ts'
import { fill, type Html, html, nothing } from './html/html.ts'
import type { PageFrame } from './html/page.ts'
import type { PageParts } from './page-parts.ts'
import { queryParameter } from './return-path.ts'

/** The path that continues a waiting request of a client. */
const resumePath = '/authorize'

/** Returns the path that continues a waiting request. */
export function pathOfRequest(handle: string): string {
  return `${resumePath}?handle=${encodeURIComponent(handle)}`
}

/** Returns whether a path continues a waiting request. */
export function leadsToRequest(path: string): boolean {
  return path.startsWith(`${resumePath}?`)
}

/**
 * Returns the client's request that a path continues, or `null` if the path leads elsewhere, or no request waits for
 * this browser.
 */
export async function findAskingClient(
  request: HttpRequest,
  { authorization }: Pick<PageParts, 'authorization'>,
  returnTo: string | null,
): Promise<WaitingAuthorization | null> {
  if (!authorization || returnTo === null || !leadsToRequest(returnTo)) return null
  const handle = queryParameter(returnTo, 'handle')
  return handle === null ? null : authorization.readRequest(request, handle)
}

/** Returns further targets of a page's forms: browsers apply `form-action` to the following redirects, too. */
export function formTargetsOf(asking: WaitingAuthorization | null): readonly string[] {
  return asking ? [asking.formTarget] : []
}

/** Returns the sentence that names the requesting client, if any. */
export function clientNotice(
  { texts }: PageFrame,
  asking: WaitingAuthorization | null,
  sentence: 'sign-in.client' | 'sign-in.again' | 'second-factor.client' | 'step-up.client',
): Html {
  if (!asking) return nothing
  const notice = unregisteredNotice(texts, asking)
  const target = asking.clientHost === null ? nothing : html`<p>${targetOf(texts, asking)}</p>\n`
  return html`<p>${fill(texts[sentence], { client: clientName(asking.client) })}</p>\n${notice}${target}`
}

/** Returns the sentence that names the destination of the response. */
export function targetOf(texts: PageFrame['texts'], { redirectTarget }: WaitingAuthorization): Html {
  return fill(texts['consent.target'], { target: html`<strong><bdi>${redirectTarget}</bdi></strong>` })
}

/** Returns the warning about an unregistered client. Empty for a registered client. */
export function unregisteredNotice(
  texts: PageFrame['texts'],
  { clientHost, isAnsweredHere }: Pick<WaitingAuthorization, 'clientHost' | 'isAnsweredHere'>,
): Html {
  if (clientHost === null) return nothing
  const host = html`<strong><bdi>${clientHost}</bdi></strong>`
  const here = isAnsweredHere ? html`<p>${texts['client.answered-here']}</p>\n` : nothing
  return html`<p>${fill(texts['client.unregistered'], { host })}</p>\n${here}`
}
