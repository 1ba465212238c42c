import type { HttpReply } from '@latchkey/http'
import { html } from '../html.ts'
import { createPage, type PageFrame } from '../page.ts'

/** Returns the page for a link that was used, has expired, or never was one. */
export function deadLink(frame: PageFrame): HttpReply {
  const { texts } = frame
  const body = html`<p>${texts['dead-link.text']}</p>`
  return createPage(frame, { status: 400, title: texts['dead-link.title'], body })
}
