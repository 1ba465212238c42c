import type { HttpResponse } from '@latchkey/http'
import { html } from './html.ts'
import { createPage, type PageFrame } from './page.ts'

/** Returns the page that shows recovery codes, this once: a click selects all of them. */
export function showCodes(frame: PageFrame, codes: readonly string[]): HttpResponse {
  const { texts } = frame
  const body = html`<p>${texts['codes.text']}</p>
<pre tabindex="0" aria-label="${texts['codes.label']}">${codes.join('\n')}</pre>
<p><a href="/account">${texts['codes.done']}</a></p>`
  return createPage(frame, { title: texts['codes.title'], body })
}
