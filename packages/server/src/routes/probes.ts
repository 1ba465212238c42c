import type { HttpReply, HttpRequest } from '@latchkey/http'
import { describeFailure } from '@latchkey/store'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { saidOfRequest } from '../settings/said-of-request.ts'

/** The process answers; no store is asked. */
export function answerHealth(_request: HttpRequest, site: Site): HttpReply {
  return { status: 200, headers: headersOf(site), body: '{"status":"ok"}' }
}

/**
 * The stores answer too, and what the option `check` asks, or 503. What is wrong with them is for the log, not for the client. A wrong clock is reported and
 * is no failure: the service uses that of the stores.
 */
export async function answerReadiness(request: HttpRequest, site: Site): Promise<HttpReply> {
  const { open, emit } = site
  const headers = headersOf(site)
  try {
    const { skewMs, application } = await (await open()).check()
    if (application?.ok === false) return unready(application.cause, { stores: 'ok', application: 'unavailable' })
    const clock = skewMs === null ? {} : { clockSkewSeconds: Math.round(skewMs / 1000) }
    const known = application ? { application: 'ok' } : {}
    return { status: 200, headers, body: JSON.stringify({ status: 'ok', stores: 'ok', ...known, ...clock }) }
  } catch (cause) {
    return unready(cause, { stores: 'unavailable' })
  }

  function unready(cause: unknown, parts: object): HttpReply {
    emit({
      type: 'service.failed',
      ...saidOfRequest(request, site),
      during: 'readiness',
      failure: describeFailure(cause),
      cause,
    })
    const body = JSON.stringify({ status: 'unavailable', ...parts })
    return { status: 503, headers: [...headers, ['Retry-After', '5']], body }
  }
}

function headersOf({ security }: Site): HttpReply['headers'] {
  return [['Content-Type', 'application/json; charset=utf-8'], ['Cache-Control', 'no-store'], ...security.api]
}
