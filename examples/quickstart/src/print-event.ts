import { isFailure, printEvent as printAsJson } from '@latchkey/core'
import type { ServerEvent } from '@latchkey/server'

/** Prints failures, and refusals that a variable could change, with its name. Other decisions are not printed. */
export function printEvent(event: ServerEvent): void {
  if (event.type === 'host.refused') {
    const setting = event.setting === 'http.allowedOrigins' ? 'its origin to ALLOWED_ORIGINS' : 'it to ALLOWED_HOSTS'
    console.error(`A request for the host ${event.host} was refused: if it is ours, add ${setting}.`)
  } else if (event.type === 'origin.refused') {
    const what = event.check === 'passkey' ? 'passkey' : 'request'
    console.error(
      `A ${what} of the origin ${event.origin} was refused: if its pages are ours, add it to ALLOWED_ORIGINS.`,
    )
  } else if (event.type === 'transport.weakened') {
    console.error('COOKIES=plain-http: cookies are set without Secure, for this machine only.')
  } else if (isFailure(event) || event.type === 'clock.skewed') printAsJson(event)
}
