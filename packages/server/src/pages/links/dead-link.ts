import type { HttpReply } from '@latchkey/http'
import { html } from '../html.ts'
import { createPage, type PageFrame } from '../page.ts'

/** What it says, and where it leads. */
export type WayOn = readonly [text: keyof PageFrame['texts'], path: string]

/**
 * Returns the page for a link that was used, has expired, or never was one.
 *
 * @param ways lead to where a new one is asked for, or to what the link has done when it was used.
 */
export function deadLink(frame: PageFrame, ways: readonly WayOn[]): HttpReply {
  const { texts } = frame
  const items = ways.map(([text, path]) => html`<li><a href="${path}">${texts[text]}</a></li>\n`)
  const body = html`<p>${texts['dead-link.text']}</p>
<ul>
${items}</ul>`
  return createPage(frame, { status: 400, title: texts['dead-link.title'], body })
}
