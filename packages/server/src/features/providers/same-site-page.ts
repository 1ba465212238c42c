import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { ProviderSettings } from '../../options/sign-in/provider-settings.ts'
import { html } from '../../page-kit/html/html.ts'
import { createPage } from '../../page-kit/html/page.ts'
import type { PageParts } from '../../page-kit/page-parts.ts'

/** Of a request that this page has sent. */
const marker = 'via=here'

/**
 * Returns whether a browser that comes from another site keeps `Strict` cookies to itself: that of a device it knows, and the session
 * where it is one of them. They are not in what follows by a redirect either.
 */
export function hidesCookies(
  request: Pick<HttpRequest, 'target' | 'headers'>,
  { hidesSession }: Pick<ProviderSettings, 'hidesSession'>,
): boolean {
  const site = request.headers.get('sec-fetch-site') ?? null
  return site === null ? hidesSession && !request.target.endsWith(marker) : site === 'cross-site'
}

/** Returns a page that asks for the same again from here. A popup of a client keeps the window that waits for it. */
export function askFromHere({ frame }: Pick<PageParts, 'frame'>, target: string): HttpResponse {
  const { texts } = frame
  const same = target.endsWith(marker) ? target : `${target}${target.includes('?') ? '&' : '?'}${marker}`
  const body = html`<p><a href="${same}">${texts['provider.continue']}</a></p>`
  const page = createPage(frame, {
    title: texts['provider.leaving'],
    body,
    headers: [['Refresh', `0; url=${same}`]],
  })
  return { ...page, headers: page.headers.filter(([name]) => name !== 'Cross-Origin-Opener-Policy') }
}
