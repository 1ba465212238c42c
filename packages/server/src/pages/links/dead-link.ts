import type { HttpReply } from '@latchkey/http'
import { type Html, html, nothing } from '../html.ts'
import { createPage, type PageFrame } from '../page.ts'

/**
 * Returns the page for a link that was used, has expired, or never was one.
 *
 * @param wayOn leads to where a new one is asked for. Omitted: nowhere.
 */
export function deadLink(frame: PageFrame, wayOn: Html = nothing): HttpReply {
  const { texts } = frame
  const body = html`<p>${texts['dead-link.text']}</p>${wayOn}`
  return createPage(frame, { status: 400, title: texts['dead-link.title'], body })
}
