import type { HttpResponse } from '@latchkey/http'
import { listKeys } from '../../page-kit/api-keys.ts'
import { listApplications } from '../../page-kit/applications.ts'
import { readForm } from '../../page-kit/forms/read-form.ts'
import { type Html, html } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'
import type { Page, PageParts } from '../../page-kit/page-parts.ts'
import { authenticatedRule } from '../../page-kit/page-rules.ts'
import { redirect } from '../../page-kit/redirect.ts'
import type { PresentedSession } from '../../service/clients/client-consents.ts'
import { listDevices } from './device-list.ts'

/** Lists the browsers and applications that are signed in to the account, and the grants of clients. */
export const devicesPage: Page = {
  async show(_request, parts): Promise<HttpResponse> {
    const { frame, authorize } = parts
    const { subject, key } = authorize(authenticatedRule)
    const [sessions, applications, keys] = await Promise.all([
      readSessions(parts, subject),
      listApplications(parts, subject, 'devices'),
      listKeys(parts, subject, 'devices'),
    ])
    const { texts } = frame
    const body = html`<p>${texts['devices.why']}</p>
${listDevices(frame, sessions, key)}${endingOfOthers(frame, sessions.length)}${applications}${keys}<p><a href="/account">${texts['second-factor.back']}</a></p>`
    return createPage(frame, { title: texts['devices.title'], body })
  },
}

/** Revokes a session or a family of refresh tokens. An earlier revocation is no error. */
export const endingOfOne: Page = {
  async take(request, { frame, accounts, authorize, attempt }) {
    const { subject } = authorize(authenticatedRule)
    const key = (await readForm(request))?.get('id') ?? ''
    if (key !== '') await accounts.revokeSession({ subject, key, attempt: attempt() })
    return redirect(frame, '/devices')
  },
}

/** Revokes all sessions except the session of the request. */
export const endingOfAllOthers: Page = {
  async take(_request, { frame, accounts, authorize, attempt }) {
    await accounts.revokeAllSessions({ identity: authorize(authenticatedRule), attempt: attempt() })
    return redirect(frame, '/devices')
  },
}

async function readSessions({ accounts, consents }: PageParts, subject: string): Promise<readonly PresentedSession[]> {
  const opened = await accounts.listSessions(subject)
  return (await consents?.nameSessions(subject, opened)) ?? opened.map((one) => ({ ...one, clientName: null }))
}

function endingOfOthers({ texts }: PageFrame, count: number): Html {
  if (count < 2) return html`<p>${texts['devices.alone']}</p>\n`
  return html`<form method="post" action="/devices/end-others">
<button type="submit">${texts['devices.end-others']}</button>
</form>
`
}
