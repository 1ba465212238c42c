import type { HttpRequest } from '@latchkey/http'
import { leadsToRequest } from './asking-client.ts'
import { type Destination, readDestination } from './destination.ts'
import type { PageParts } from './page-parts.ts'

/** Browsers keep 4096 bytes of a cookie, and all cookies together are sent with every request. */
const longest = 2_048

type KeepingParts = Pick<PageParts, 'cookies' | 'response'>

/** Keeps the destination for the page of a mail's link, which is opened in another tab. */
export function keepReturnTo(request: HttpRequest, parts: KeepingParts, { returnTo }: Destination): void {
  const value = new URLSearchParams({ to: returnTo ?? '' }).toString()
  if (returnTo === null || value.length > longest) forgetReturnTo(request, parts)
  else parts.response.setCookie(parts.cookies.returnTo.write(value))
}

/** Forgets it, if it was kept. */
export function forgetReturnTo(request: HttpRequest, { cookies: { returnTo: kept }, response }: KeepingParts): void {
  if (kept.isSent(request)) response.setCookie(kept.clear())
}

/** Forgets it once a sign-in has led there. */
export function forgetReached(request: HttpRequest, parts: KeepingParts, returnTo: string | null): void {
  const value = parts.cookies.returnTo.read(request)
  if (value !== null && new URLSearchParams(value).get('to') === returnTo) forgetReturnTo(request, parts)
}

/** Returns the kept destination, or `null` if a client's request no longer waits there. */
export async function readKeptReturnTo(
  request: HttpRequest,
  parts: Pick<PageParts, 'cookies' | 'authorization' | 'frame'>,
): Promise<string | null> {
  const value = parts.cookies.returnTo.read(request)
  if (value === null) return null
  const { returnTo, asking } = await readDestination(request, parts, new URLSearchParams(value).get('to'))
  return returnTo !== null && leadsToRequest(returnTo) && !asking ? null : returnTo
}
