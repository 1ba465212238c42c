import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { ProviderSettings } from '../../options/sign-in/provider-settings.ts'
import { html } from '../../page-kit/html/html.ts'
import { createPage } from '../../page-kit/html/page.ts'
import type { PageParts } from '../../page-kit/page-parts.ts'

/** Marks a request that this page has repeated. */
const marker = 'via=here'

/**
 * Returns whether the browser hides `Strict` cookies from this request because it comes from another site. The cookie
 * of the device is `Strict`, the session's only with `hidesSession`. A redirect does not reveal them.
 */
export function hidesCookies(
  request: Pick<HttpRequest, 'target' | 'headers'>,
  { hidesSession }: Pick<ProviderSettings, 'hidesSession'>,
): boolean {
  const site = request.headers.get('sec-fetch-site') ?? null
  return site === null ? hidesSession && !request.target.endsWith(marker) : site === 'cross-site'
}

/** Returns a page that repeats the request from this site. A popup keeps its opener. */
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
