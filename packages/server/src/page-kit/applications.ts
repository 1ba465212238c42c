import type { ClientConsent } from '../options/oauth/authorization-server.ts'
import { clientName } from './html/client-name.ts'
import { dateOf } from './html/date-of.ts'
import { hidden } from './html/field.ts'
import { fill, type Html, html, nothing } from './html/html.ts'
import { scopeList } from './html/scope-list.ts'
import type { PageParts } from './page-parts.ts'

/**
 * Returns the applications that an account has allowed something, each with a form that withdraws it.
 *
 * @param from the page that they stand on.
 */
export async function listApplications(
  parts: PageParts,
  accountId: string,
  from: 'account' | 'devices',
): Promise<Html> {
  const grants = (await parts.consents?.list(accountId)) ?? []
  if (grants.length === 0) return nothing
  const { texts } = parts.frame
  return html`<h2>${texts['applications.title']}</h2>
<p>${texts['applications.why']}</p>
<ul class="applications">
${grants.map((grant) => itemOf(parts, grant, from))}</ul>
`
}

function itemOf(
  { frame }: PageParts,
  { id, clientId, clientName: name, clientHost, redirectTarget, scopes, givenAt }: ClientConsent,
  from: 'account' | 'devices',
): Html {
  const { texts } = frame
  const since = fill(texts['applications.since'], { date: dateOf(frame, givenAt) })
  const strong = (text: string | null) => html`<strong><bdi>${text ?? ''}</bdi></strong>`
  const [host, target] = [strong(clientHost), strong(redirectTarget)] as const
  const origin =
    clientHost === null ? nothing : html`<p>${fill(texts['applications.unregistered'], { host, target })}</p>\n`
  return html`<li><span id="name-${id}">${clientName({ id: clientId, name })}</span>, ${since}
${origin}${scopeList(frame, scopes)}<form method="post" action="/account/applications/revoke">
${hidden('id', id)}${hidden('from', from)}<button type="submit" class="quiet" id="revoke-${id}" aria-labelledby="revoke-${id} name-${id}">${texts['applications.revoke']}</button>
</form></li>
`
}
