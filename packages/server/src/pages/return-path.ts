import { isLocalPath } from '@latchkey/http'

/** Returns a path of this service to go on to, or `/` for everything else. */
export function readReturnPath(text: string | null | undefined): string {
  return typeof text === 'string' && isLocalPath(text) ? text : '/'
}

/** Returns a path with where to go on to, which is left out where it is the start page. */
export function withReturn(path: string, returnTo: string): string {
  return returnTo === '/' ? path : `${path}?return_to=${encodeURIComponent(returnTo)}`
}

/** Returns a parameter of the query of a request, or `null`. */
export function queryParameter(target: string, name: string): string | null {
  const queryAt = target.indexOf('?')
  return queryAt < 0 ? null : new URLSearchParams(target.slice(queryAt)).get(name)
}
