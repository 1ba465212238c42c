import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { WaitingAuthorization } from '../../options/oauth/authorization-server.ts'
import type { ProviderClient } from '../../options/sign-in/provider-client.ts'
import type { PageProvider } from '../../options/sign-in/provider-settings.ts'
import { formTargetsOf } from '../../page-kit/asking-client.ts'
import { fill, html } from '../../page-kit/html/html.ts'
import { createPage, type PageFrame } from '../../page-kit/html/page.ts'
import type { PageParts } from '../../page-kit/page-parts.ts'
import { queryParameter, readReturnTo, withReturn } from '../../page-kit/return-path.ts'
import { orProviderFailure } from './provider-failure.ts'

export interface ProviderRedirect
  extends Pick<NonNullable<Parameters<ProviderClient['begin']>[0]>, 'binding' | 'loginHint'> {
  /** `null`: to the home of the application. */
  readonly returnTo: string | null
  /** The user shall sign in there once more. */
  readonly isAgain?: boolean
  /** The client's request that continues afterwards, or `null`. */
  readonly asking: WaitingAuthorization | null
}

/** In characters: the longest path that a transaction of the client may keep. */
const longestPath = 1024

/** The kept path for the application's home. `/sign-in` redirects signed-in users there. */
const homePath = '/sign-in'

/** The client keeps paths only, so a URL of an allowed origin is put into the query of a path. */
function toProviderPath(returnTo: string | null): string {
  if (returnTo === null) return homePath
  const path = returnTo.startsWith('/') ? returnTo : withReturn(homePath, returnTo)
  return path.length > longestPath ? homePath : path
}

/** Returns the destination of a client's transaction; `null` for the home. */
export function readProviderPath(path: string | null, frame: PageFrame): string | null {
  if (path === null || path === homePath) return null
  return readReturnTo(path.startsWith(withReturn(homePath, '')) ? queryParameter(path, 'return_to') : path, frame)
}

/** Starts a transaction at a provider, and redirects there. */
export function leadToProvider(
  request: HttpRequest,
  parts: PageParts,
  provider: PageProvider,
  { returnTo, binding = null, loginHint, isAgain = false, asking }: ProviderRedirect,
): Promise<HttpResponse> {
  const { frame, response } = parts
  return orProviderFailure(parts, provider, async () => {
    const { url, cookie } = await provider.client.begin({
      returnTo: toProviderPath(returnTo),
      cookieHeader: request.headers.get('cookie') ?? null,
      binding,
      ...(loginHint !== undefined && { loginHint }),
      ...(isAgain && { prompt: 'login' }),
      // One that does not say when a user has signed in is refused otherwise.
      ...(isAgain && !provider.isUndated && { maxAgeSeconds: 0 }),
    })
    response.setCookie(cookie)
    return leavePage(frame, { url, label: provider.label, asking })
  })
}

/**
 * Shows a page that refreshes to the provider. The response to a form must not redirect: browsers apply the
 * `form-action` of the page to every following redirect, and a provider's may lead anywhere.
 */
function leavePage(
  frame: PageFrame,
  {
    url,
    label,
    asking,
  }: { readonly url: string; readonly label: string; readonly asking: WaitingAuthorization | null },
): HttpResponse {
  const { texts } = frame
  const body = html`<p><a href="${url}">${fill(texts['provider.go-on'], { provider: label })}</a></p>`
  return createPage(frame, {
    title: texts['provider.leaving'],
    body,
    headers: [['Refresh', `0; url=${url}`]],
    formTargets: formTargetsOf(asking),
  })
}
