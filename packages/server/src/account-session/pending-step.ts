import type { HttpRequest } from '@latchkey/http'
import type { ServiceCookies } from '../settings/service-cookies.ts'

/** A sign-in or a step-up whose first half is done. */
export interface PendingStep {
  readonly challenge: string
  /** The kinds that can answer. They decide what the page shows, and nothing else. */
  readonly factors: readonly string[]
}

/** The kinds first: none of them has this character, which a cookie can hold. */
const separator = '!'

/** Returns what goes into the cookie between two pages. It is kept from the address, which logs and other sites see. */
export function writePendingStep({ challenge, factors }: PendingStep): string {
  return [...factors, challenge].join(separator)
}

export function readPendingStep(request: HttpRequest, { challenge: cookie }: ServiceCookies): PendingStep | null {
  const value = cookie.read(request.header('cookie'))
  if (value === null) return null
  const parts = value.split(separator)
  const challenge = parts.pop() ?? ''
  return challenge === '' ? null : { challenge, factors: parts }
}
