import { AuthError, clientError } from '../errors.ts'
import { randomText } from '../platform/random.ts'
import { seconds } from '../platform/time.ts'

/** A sign-in that has left the page. */
export interface Departure {
  readonly verifier: string
  readonly returnTo: string
}

/** The response of the service in the address of the page. */
export interface Arrival extends Departure {
  readonly code: string
}

/** Stores the data of a sign-in until its redirect returns. Returns its `state`. */
export function keepDeparture(departure: Departure): string {
  const state = randomText()
  sessionStorage.setItem(nameOf(state), JSON.stringify({ ...departure, at: seconds() }))
  return state
}

/** Returns a path of this origin; anything else is `/`. */
export function localPath(path: string): string {
  const url = new URL(path, location.origin)
  const isLocal = url.origin === location.origin && !url.pathname.startsWith('//')
  return isLocal ? url.pathname + url.search + url.hash : '/'
}

/**
 * Reads the response from the address of the page; `null` without a response. Throws `AuthError` for a refusal, and for a
 * response that this page has not requested.
 */
export function takeArrival(redirectUri: string, issuer: string): Arrival | null {
  const { origin, pathname, searchParams } = new URL(location.href)
  const answer = Object.fromEntries(searchParams)
  const { state, code = '', error, error_description: text, iss } = answer
  if (origin + pathname !== redirectUri || !state || !(code || error)) return null
  history.replaceState(history.state, '', pathname)
  const departure = takeDeparture(state)
  // A repeated parameter is invalid (RFC 6749, section 3.1).
  const isTwice = [...searchParams].length > Object.keys(answer).length
  if (!departure || iss !== issuer || isTwice) throw clientError('CSRF_REJECTED')
  if (error) throw new AuthError(error, text ?? error)
  return { ...departure, code }
}

function takeDeparture(state: string): Departure | null {
  const tenMinutes = 600
  const kept = JSON.parse(sessionStorage.getItem(nameOf(state)) ?? 'null')
  sessionStorage.removeItem(nameOf(state))
  return seconds() - kept?.at < tenMinutes ? kept : null
}

function nameOf(state: string): string {
  return `latchkey ${state}`
}
