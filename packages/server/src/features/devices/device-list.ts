import { clientName } from '../../page-kit/html/client-name.ts'
import { momentOf } from '../../page-kit/html/date-of.ts'
import { hidden } from '../../page-kit/html/field.ts'
import { fill, type Html, html, nothing } from '../../page-kit/html/html.ts'
import type { PageFrame } from '../../page-kit/html/page.ts'
import { plainText } from '../../page-kit/html/plain-text.ts'
import type { PresentedSession } from '../../service/clients/client-consents.ts'
import { browserName } from './browser-name.ts'

/** Lists the session of the request first, then the others, each with a form that revokes it. */
export function listDevices(frame: PageFrame, sessions: readonly PresentedSession[], current: string | null): Html {
  const own = sessions.filter(({ key }) => key === current)
  const others = sessions.filter(({ key }) => key !== current)
  return html`<ul class="applications">
${own.map((session) => itemOf(frame, session, true))}${others.map((session) => itemOf(frame, session, false))}</ul>
`
}

function itemOf(frame: PageFrame, session: PresentedSession, isCurrent: boolean): Html {
  const { texts } = frame
  const { key } = session
  const mark = isCurrent ? html` (${texts['devices.this']})` : nothing
  return html`<li><span id="device-${key}">${nameOf(frame, session)}</span>${mark}
<p>${factsOf(frame, session)}</p>
${isCurrent ? nothing : endingForm(frame, key)}</li>
`
}

function nameOf(
  { texts }: PageFrame,
  { device: { userAgent }, clientId, clientName: name, impersonation }: PresentedSession,
): Html {
  if (impersonation !== null) return html`<strong>${texts['devices.support']}</strong>`
  if (clientId !== null) {
    return fill(texts['devices.application'], { client: clientName({ id: clientId, name }) })
  }
  const known = browserName(userAgent ?? '')
  if (known) return html`<strong>${fill(texts['devices.browser'], { ...known })}</strong>`
  return html`<strong><bdi>${plainText(userAgent ?? '', 60) || texts['devices.unknown']}</bdi></strong>`
}

function factsOf(frame: PageFrame, { createdAt, lastUsedAt, device: { address } }: PresentedSession): Html {
  const { texts } = frame
  const moments = { since: momentOf(frame, createdAt), last: momentOf(frame, lastUsedAt) }
  const facts = fill(texts['devices.facts'], moments)
  if (address === null) return facts
  return html`${facts}, ${fill(texts['devices.address'], { address: html`<bdi>${plainText(address, 60)}</bdi>` })}`
}

function endingForm({ texts }: PageFrame, key: string): Html {
  return html`<form method="post" action="/devices/end">
${hidden('id', key)}<button type="submit" class="quiet" id="end-${key}" aria-labelledby="end-${key} device-${key}">${texts['devices.end']}</button>
</form>`
}
