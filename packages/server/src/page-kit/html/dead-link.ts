import type { HttpResponse } from '@latchkey/http'
import { html, nothing } from './html.ts'
import { createPage, type PageFrame } from './page.ts'

/** What it says, and where it leads. */
export type PageLink = readonly [text: keyof PageFrame['texts'], path: string]

/**
 * Returns the page for a link that was used, has expired, or never was one.
 *
 * @param pages lead to where a new one is asked for, or to what the link has done when it was used.
 */
export function deadLink(frame: PageFrame, pages: readonly PageLink[]): HttpResponse {
  const { texts } = frame
  const links = pages.map(([text, path]) => html`<a href="${path}">${texts[text]}</a>`)
  const [first = nothing, ...others] = links
  const list = html`<ul>
${links.map((link) => html`<li>${link}</li>\n`)}</ul>`
  const body = html`<p>${texts['dead-link.text']}</p>
${others.length > 0 ? list : html`<p>${first}</p>`}`
  return createPage(frame, { status: 400, title: texts['dead-link.title'], body })
}
