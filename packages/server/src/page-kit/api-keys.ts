import type { Accounts } from '@latchkey/accounts'
import { dateOf, momentOf } from './html/date-of.ts'
import { hidden } from './html/field.ts'
import { fill, type Html, html, nothing } from './html/html.ts'
import { scopeList } from './html/scope-list.ts'
import type { PageParts } from './page-parts.ts'

type ApiKey = Awaited<ReturnType<Accounts['listApiKeys']>>[number]

/**
 * Returns the API keys of an account, each with a form that revokes it.
 *
 * @param from the page that they stand on.
 */
export async function listKeys(
  parts: PageParts,
  accountId: string,
  from: 'account' | 'devices' | 'keys',
): Promise<Html> {
  const keys = await parts.accounts.listApiKeys(accountId)
  if (keys.length === 0) return nothing
  const { texts } = parts.frame
  return html`<h2>${texts['keys.title']}</h2>
<ul class="applications">
${keys.map((key) => itemOf(parts, key, from))}</ul>
`
}

function itemOf({ frame }: PageParts, { id, name, start, scopes, ...times }: ApiKey, from: string): Html {
  const { texts } = frame
  const last = times.lastUsedAt === null ? texts['keys.unused'] : momentOf(frame, times.lastUsedAt)
  const facts = fill(texts['keys.facts'], { expires: dateOf(frame, times.expiresAt), last })
  return html`<li><strong id="key-${id}"><bdi>${name}</bdi></strong> (<code>${start}…</code>)
<p>${facts}</p>
${scopeList(frame, scopes)}<form method="post" action="/account/keys/revoke">
${hidden('id', id)}${hidden('from', from)}<button type="submit" class="quiet" id="revoke-key-${id}" aria-labelledby="revoke-key-${id} key-${id}">${texts['keys.revoke']}</button>
</form></li>
`
}
