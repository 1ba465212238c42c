import type { HttpResponse } from '@latchkey/http'
import { html, nothing } from './html.ts'
import { createPage, type PageFrame } from './page.ts'

/** A link by its text and path. */
export type PageLink = readonly [text: keyof PageFrame['texts'], path: string]

/**
 * Returns the page for a used, expired or unknown link.
 *
 * @param pages lead to the page that requests a new link, or to the result of the used link.
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
