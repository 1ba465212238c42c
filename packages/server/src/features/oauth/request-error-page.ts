import type { HttpResponse } from '@latchkey/http'
import type { AuthorizationParts } from '../../options/oauth/authorization-server.ts'
import { html } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'

/** Returns the page for a refused request whose client cannot be told. It has no link to the client. */
export function requestErrorPage(
  frame: PageFrame,
  { status, error, description }: Parameters<Required<AuthorizationParts>['errorPage']>[0],
): HttpResponse {
  const { texts } = frame
  if (status >= 500) return unavailable(frame, status)
  const body = html`<p>${texts['request-error.text']}</p>
<p lang="en" dir="ltr"><code>${error}</code>: ${description}</p>`
  return createPage(frame, { status, title: texts['request-error.title'], body })
}

function unavailable(frame: PageFrame, status: number): HttpResponse {
  const { texts } = frame
  const body = html`<p>${texts['failure.unavailable.text']}</p>`
  const headers = [['Retry-After', '5']] as const
  return createPage(frame, { status, title: texts['failure.unavailable.title'], body, headers })
}
