import { isFailure, printEvent as printAsJson } from '@latchkey/core'
import type { ServerEvent } from '@latchkey/server'

/** Prints failures, and refusals that a variable could change, with its name. Other decisions are not printed. */
export function printEvent(event: ServerEvent): void {
  if (event.type === 'host.refused') {
    console.error(`A request for the host ${event.host} was refused: ${hostAdvice}`)
  } else if (event.type === 'origin.refused') {
    const what = event.check === 'passkey' ? 'passkey' : 'request'
    console.error(
      `A ${what} of the origin ${event.origin} was refused: if people open the service there, set PUBLIC_URL to it, or add it to ALLOWED_ORIGINS.`,
    )
  } else if (event.type === 'transport.weakened') {
    console.error('COOKIES=plain-http: cookies are set without Secure, for this machine only.')
  } else if (isFailure(event) || event.type === 'clock.skewed') printAsJson(event)
}

/** The response has the same advice. */
const hostAdvice =
  'use the address in its PUBLIC_URL. If people open its pages at this host, set PUBLIC_URL to that origin, or add it to ALLOWED_ORIGINS. If only programs use this host, add it to ALLOWED_HOSTS.'
