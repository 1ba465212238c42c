import { describeFailure } from '@latchkey/core/internal'
import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { requestEventFields } from '../options/observe/request-event-fields.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'

/** The process answers; no store is asked. */
export function answerHealth(_request: HttpRequest, site: Site): HttpResponse {
  return { status: 200, headers: headersOf(site), body: '{"status":"ok"}' }
}

/** How long an answer about the stores is that of all who ask. */
export const readinessMs = 250

/**
 * The stores answer too, and what the option `observe.readiness` asks, or 503: as they were found by a look that began within the last
 * 250 ms or is still under way, so that probes cost the stores little however many there are. A service that closes says so at once.
 */
export async function answerReadiness(request: HttpRequest, site: Site): Promise<HttpResponse> {
  const found = await site.shareReadiness(() => lookAtStores(request, site))
  if (found.status !== 200) return found
  try {
    await site.open()
    return found
  } catch (cause) {
    return unready(cause, { request, site, parts: { stores: 'unavailable' } })
  }
}

/**
 * What is wrong with the stores is for the log, not for the client. A wrong clock is reported and is no failure: the service
 * uses that of the stores.
 */
async function lookAtStores(request: HttpRequest, site: Site): Promise<HttpResponse> {
  try {
    const { skewMs, application } = await (await site.open()).check()
    if (application?.ok === false) {
      return unready(application.cause, { request, site, parts: { stores: 'ok', application: 'unavailable' } })
    }
    const clock = skewMs === null ? {} : { clockSkewSeconds: Math.round(skewMs / 1000) }
    const known = application ? { application: 'ok' } : {}
    const body = JSON.stringify({ status: 'ok', stores: 'ok', ...known, ...clock })
    return { status: 200, headers: headersOf(site), body }
  } catch (cause) {
    return unready(cause, { request, site, parts: { stores: 'unavailable' } })
  }
}

interface UnreadyParts {
  readonly request: HttpRequest
  readonly site: Site
  readonly parts: object
}

function unready(cause: unknown, { request, site, parts }: UnreadyParts): HttpResponse {
  const fields = requestEventFields(request, site)
  site.emit({ type: 'service.failed', ...fields, during: 'readiness', failure: describeFailure(cause), cause })
  const body = JSON.stringify({ status: 'unavailable', ...parts })
  return { status: 503, headers: [...headersOf(site), ['Retry-After', '5']], body }
}

function headersOf({ security }: Site): HttpResponse['headers'] {
  return [['Content-Type', 'application/json; charset=utf-8'], ['Cache-Control', 'no-store'], ...security.api]
}
