import type { HttpReply } from '@latchkey/http'
import { authenticatedRule } from '../features/step-up/step-up.ts'
import type { ClientConsent } from '../options/oauth/authorization-server.ts'
import { readForm } from './forms/read-form.ts'
import { clientName } from './html/client-name.ts'
import { dateOf } from './html/date-of.ts'
import { hidden } from './html/field.ts'
import { fill, type Html, html, nothing } from './html/html.ts'
import { scopeList } from './html/scope-list.ts'
import type { Page, PageParts } from './page-parts.ts'
import { redirect } from './redirect.ts'

/** Withdraws what an application was allowed. One that was withdrawn in the meantime is withdrawn. */
export const grantRevocation: Page = {
  async take(request, parts): Promise<HttpReply> {
    const { subject } = parts.authorize(authenticatedRule)
    const form = await readForm(request)
    const id = form?.get('id') ?? ''
    await parts.consents?.revoke(subject, id, request)
    return redirect(parts.frame, form?.get('from') === 'devices' ? '/devices' : '/account')
  },
}

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
  { id, clientId, clientName: name, scopes, givenAt }: ClientConsent,
  from: 'account' | 'devices',
): Html {
  const { texts } = frame
  const since = fill(texts['applications.since'], { date: dateOf(frame, givenAt) })
  return html`<li><span id="name-${id}">${clientName({ id: clientId, name })}</span>, ${since}
${scopeList(frame, scopes)}<form method="post" action="/account/applications/revoke">
${hidden('id', id)}${hidden('from', from)}<button type="submit" class="quiet" id="revoke-${id}" aria-labelledby="revoke-${id} name-${id}">${texts['applications.revoke']}</button>
</form></li>
`
}
