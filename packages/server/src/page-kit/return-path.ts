import { isLocalPath } from '@latchkey/http'

/** Returns a path of this service to go on to; `null`, for everything else: to the home of the application. */
export function readReturnPath(text: string | null | undefined): string | null {
  return typeof text === 'string' && isLocalPath(text) ? text : null
}

/** Returns a path with where to go on to, which is left out if that is the home. */
export function withReturn(path: string, returnTo: string | null): string {
  return returnTo === null ? path : `${path}?return_to=${encodeURIComponent(returnTo)}`
}

/** Returns a parameter of the query of a request, or `null`. */
export function queryParameter(target: string, name: string): string | null {
  const queryAt = target.indexOf('?')
  return queryAt < 0 ? null : new URLSearchParams(target.slice(queryAt)).get(name)
}
