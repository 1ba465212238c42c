import type { HttpRequest } from '@latchkey/http'
import type { WaitingAuthorization } from '../options/oauth/authorization-server.ts'
import { clientName } from './html/client-name.ts'
import { fill, type Html, html, nothing } from './html/html.ts'
import type { PageFrame } from './html/page.ts'
import type { PageParts } from './page-parts.ts'
import { queryParameter } from './return-path.ts'

/** Where a request that waits goes on. */
const resumePath = '/authorize'

/** Returns the path at which a request that waits goes on. */
export function pathOfRequest(handle: string): string {
  return `${resumePath}?handle=${encodeURIComponent(handle)}`
}

/** Whether a path is one at which a request goes on. */
export function leadsToRequest(path: string): boolean {
  return path.startsWith(`${resumePath}?`)
}

/**
 * Returns the request of a client that goes on at a path, or `null`: the path leads elsewhere, or nothing waits there for
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

/** Returns where the forms of a page may lead besides: browsers apply `form-action` to the redirects that follow, too. */
export function formTargetsOf(asking: WaitingAuthorization | null): readonly string[] {
  return asking ? [asking.formTarget] : []
}

/** Returns the sentence that names the client that asks, where one does. */
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

/** Returns the sentence that names where the response goes. */
export function targetOf(texts: PageFrame['texts'], { redirectTarget }: WaitingAuthorization): Html {
  return fill(texts['consent.target'], { target: html`<strong><bdi>${redirectTarget}</bdi></strong>` })
}

/** Returns what a user must know of a client that nobody registered: nothing of a registered one. */
export function unregisteredNotice(
  texts: PageFrame['texts'],
  { clientHost, isAnsweredHere }: Pick<WaitingAuthorization, 'clientHost' | 'isAnsweredHere'>,
): Html {
  if (clientHost === null) return nothing
  const host = html`<strong><bdi>${clientHost}</bdi></strong>`
  const here = isAnsweredHere ? html`<p>${texts['client.answered-here']}</p>\n` : nothing
  return html`<p>${fill(texts['client.unregistered'], { host })}</p>\n${here}`
}
