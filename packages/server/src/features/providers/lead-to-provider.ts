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
  /** The request of a client that goes on afterwards; `null`: that of none. */
  readonly asking: WaitingAuthorization | null
}

/** What a transaction of the client keeps at most. */
const longestPath = 1024

/** What it keeps of a way to the home: who is signed in goes on there from `/sign-in`, too. */
const homePath = '/sign-in'

/** The client keeps paths only: a URL of an allowed origin stands in the query of one. */
function toProviderPath(returnTo: string | null): string {
  if (returnTo === null) return homePath
  const path = returnTo.startsWith('/') ? returnTo : withReturn(homePath, returnTo)
  return path.length > longestPath ? homePath : path
}

/** Returns where a transaction of the client leads; `null`: to the home. */
export function readProviderPath(path: string | null, frame: PageFrame): string | null {
  if (path === null || path === homePath) return null
  return readReturnTo(path.startsWith(withReturn(homePath, '')) ? queryParameter(path, 'return_to') : path, frame)
}

/** Begins at a provider, and leads there. */
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
 * A redirect would answer a form, and browsers apply `form-action` of its page to every redirect that follows: those of a provider
 * lead anywhere.
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
