import type { HttpResponse } from '@latchkey/http'
import type { AuthorizationParts } from '../../options/oauth/authorization-server.ts'
import { clientName } from '../../page-kit/html/client-name.ts'
import { hidden } from '../../page-kit/html/field.ts'
import { fill, html, nothing } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'

/** Returns the page that asks whether to sign out, or says that it is done. */
export function logoutPage(
  frame: PageFrame,
  logout: Parameters<Required<AuthorizationParts>['logoutPage']>[0],
): HttpResponse {
  const { texts } = frame
  if (logout.step === 'done') {
    const body = html`<p>${texts['logged-out.text']}</p>
<p><a href="/sign-in">${texts['logged-out.sign-in']}</a></p>`
    return createPage(frame, { title: texts['logged-out.title'], body })
  }
  const { action, fields, clientName: name, formTargets } = logout
  const who = name === null ? nothing : fill(texts['log-out.client'], { client: clientName({ id: name, name }) })
  const body = html`<p>${name === null ? texts['log-out.why'] : who}</p>
<form method="post" action="${action}">
${Object.entries(fields).map(([name, value]) => hidden(name, value))}<button type="submit">${texts['account.sign-out']}</button>
</form>
<p><a href="/account">${texts['log-out.stay']}</a></p>`
  return createPage(frame, { title: texts['log-out.title'], body, formTargets })
}
