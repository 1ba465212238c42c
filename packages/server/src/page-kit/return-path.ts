import { isLocalPath } from '@latchkey/http'
import type { PageFrame } from './html/page.ts'

/** Returns a path of this service or a URL of an allowed origin; `null` for any other text, which leads to the home. */
export function readReturnTo(
  text: string | null | undefined,
  { settings: { origins } }: Pick<PageFrame, 'settings'>,
): string | null {
  if (typeof text !== 'string') return null
  if (isLocalPath(text)) return text
  const origin = origins.find((one) => text === one || text.startsWith(`${one}/`))
  if (origin === undefined) return null
  const path = text.slice(origin.length) || '/'
  if (!isLocalPath(path)) return null
  return origin === origins[0] ? path : `${origin}${path}`
}

/** Returns a path of this service; `null` for any other text. */
export function readReturnPath(text: string): string | null {
  return isLocalPath(text) ? text : null
}

/** Adds the destination to a path, unless it is the home. */
export function withReturn(path: string, returnTo: string | null): string {
  return returnTo === null ? path : `${path}?return_to=${encodeURIComponent(returnTo)}`
}

/** Returns a parameter of the query of a request, or `null`. */
export function queryParameter(target: string, name: string): string | null {
  const queryAt = target.indexOf('?')
  return queryAt < 0 ? null : new URLSearchParams(target.slice(queryAt)).get(name)
}
