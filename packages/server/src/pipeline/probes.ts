import { describeFailure } from '@latchkey/core/internal'
import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { requestEventFields } from '../options/observe/request-event-fields.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'

/** Answers that the process is alive, without the stores. */
export function answerHealth(_request: HttpRequest, site: Site): HttpResponse {
  return { status: 200, headers: headersOf(site), body: '{"status":"ok"}' }
}

/** How long an answer about the stores is shared. */
export const readinessMs = 250

/**
 * Answers 200 if the stores and the option `observe.readiness` are available, otherwise 503. A check is shared for 250
 * ms and while it is pending, so that probes cost the stores little. A closing service answers 503 at once.
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
 * Checks the stores. The cause of a failure is logged, not sent to the client. A wrong clock is reported but no
 * failure, because the service uses the clock of the stores.
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
