import type { HttpReply, HttpRequest } from '@latchkey/http'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { createFailedEvent } from '../settings/server-event.ts'

const headers = [
  ['Content-Type', 'application/json; charset=utf-8'],
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
] as const

/** The process answers; no store is asked. */
export function answerHealth(): HttpReply {
  return { status: 200, headers, body: '{"status":"ok"}' }
}

/**
 * The stores answer too, or 503. What is wrong with them is for the log, not for whoever asks. A clock that is wrong is said
 * and is no failure: the service goes by that of the stores.
 */
export async function answerReadiness(_request: HttpRequest, { open, announce, now }: Site): Promise<HttpReply> {
  try {
    const { skewMs } = await (await open()).check()
    const clock = skewMs === null ? {} : { clockSkewSeconds: Math.round(skewMs / 1000) }
    return { status: 200, headers, body: JSON.stringify({ status: 'ok', stores: 'ok', ...clock }) }
  } catch (cause) {
    announce(createFailedEvent({ type: 'service-failed', at: now(), during: 'readiness', cause }))
    const body = '{"status":"unavailable","stores":"unavailable"}'
    return { status: 503, headers: [...headers, ['Retry-After', '5']], body }
  }
}
