import type { HttpRequest } from '@latchkey/http'
import { leadsToRequest } from './asking-client.ts'
import { type CarriedWay, readWay } from './carried-way.ts'
import type { PageParts } from './page-parts.ts'

/** Browsers keep 4096 bytes of a cookie, and all cookies together are sent with every request. */
const longest = 2_048

type KeepingParts = Pick<PageParts, 'cookies' | 'reply'>

/** Keeps where the browser was going for the page behind the link of a mail, which is opened in another tab. */
export function keepWay(request: HttpRequest, parts: KeepingParts, { returnTo }: CarriedWay): void {
  const value = new URLSearchParams({ to: returnTo ?? '' }).toString()
  if (returnTo === null || value.length > longest) forgetWay(request, parts)
  else parts.reply.setCookie(parts.cookies.way.write(value))
}

/** Forgets it, if it was kept. */
export function forgetWay(request: HttpRequest, { cookies: { way }, reply }: KeepingParts): void {
  if (way.isSent(request)) reply.setCookie(way.clear())
}

/** Forgets it once a sign-in has led there. */
export function forgetWalked(request: HttpRequest, parts: KeepingParts, returnTo: string | null): void {
  const value = parts.cookies.way.read(request)
  if (value !== null && new URLSearchParams(value).get('to') === returnTo) forgetWay(request, parts)
}

/** Returns where the browser was going, or `null`. A request of a client that waits no longer leads nowhere. */
export async function readReturnTo(
  request: HttpRequest,
  parts: Pick<PageParts, 'cookies' | 'authorization'>,
): Promise<string | null> {
  const value = parts.cookies.way.read(request)
  if (value === null) return null
  const { returnTo, asking } = await readWay(request, parts, new URLSearchParams(value).get('to'))
  return returnTo !== null && leadsToRequest(returnTo) && !asking ? null : returnTo
}
