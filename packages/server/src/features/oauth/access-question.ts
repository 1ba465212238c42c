import { AccessError } from '@latchkey/graphql'
import type { WaitingAuthorization } from '../../options/oauth/authorization-server.ts'
import { clientName } from '../../page-kit/html/client-name.ts'
import { hidden } from '../../page-kit/html/field.ts'
import { fill, type Html, html, nothing } from '../../page-kit/html/html.ts'
import type { PageFrame } from '../../page-kit/html/page.ts'
import { scopeList } from '../../page-kit/html/scope-list.ts'
import type { PageAuthorization, PageParts } from '../../page-kit/page-parts.ts'

/** The access that a client requests from a user. */
export interface AskedAccess {
  readonly client: WaitingAuthorization['client']
  readonly scopes: readonly string[]
  /** The scopes that the account has not allowed the client before. */
  readonly newScopes: readonly string[]
}

interface Person {
  readonly name: string
  readonly email: string
}

/** Names the client, the account and the scopes. Scopes that were allowed before are listed separately. */
export function describeAccess(frame: PageFrame, { client, scopes, newScopes }: AskedAccess, person: Person): Html {
  const { texts } = frame
  const [name, email] = [html`<strong><bdi>${person.name}</bdi></strong>`, html`<strong>${person.email}</strong>`]
  const known = scopes.filter((scope) => !newScopes.includes(scope))
  const isMixed = known.length > 0 && newScopes.length > 0
  return html`<p>${fill(texts['consent.who'], { client: clientName(client), name, email })}</p>
<h2>${texts[isMixed ? 'consent.new-scopes' : 'consent.scopes']}</h2>
${scopeList(frame, isMixed ? newScopes : scopes)}${isMixed ? html`<h2>${texts['consent.known-scopes']}</h2>\n${scopeList(frame, known)}` : nothing}`
}

export interface DecisionForm {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
}

/** Returns the form with the two answers. */
export function decisionForm({ texts }: PageFrame, { action, fields }: DecisionForm): Html {
  return html`<form method="post" action="${action}" class="answers">
${Object.entries(fields).map(([name, value]) => hidden(name, value))}<button type="submit" name="decision" value="allow">${texts['consent.allow']}</button>
<button type="submit" name="decision" value="deny" class="quiet">${texts['consent.deny']}</button>
</form>
`
}

/** Returns the decision of a form, or `null`. */
export function readDecision(form: ReadonlyMap<string, string> | null): 'allow' | 'deny' | null {
  const decision = form?.get('decision')
  return decision === 'allow' || decision === 'deny' ? decision : null
}

/** @throws AccessError `NOT_FOUND` if the service has no clients. */
export function authorizationOf({ authorization }: Pick<PageParts, 'authorization'>): PageAuthorization {
  if (!authorization) throw new AccessError('NOT_FOUND')
  return authorization
}
