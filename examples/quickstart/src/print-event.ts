import { isFailure, printEvent as printAsJson } from '@latchkey/core'
import type { ServerEvent } from '@latchkey/server'

/** Prints failures, and what a setting would change by the name of its variable. Other decisions are not printed. */
export function printEvent(event: ServerEvent): void {
  if (event.type === 'host.refused') {
    console.error(`A request for the host ${event.host} was refused: if it is ours, add it to ALLOWED_HOSTS.`)
  } else if (event.type === 'transport.weakened') {
    console.error('COOKIES=plain-http: cookies are set without Secure, for this machine only.')
  } else if (isFailure(event) || event.type === 'clock.skewed') printAsJson(event)
}
