import { describeFailure } from '@latchkey/core/internal'
import { type HttpReply, type HttpRequest, isHttpError } from '@latchkey/http'
import { isStoreError } from '@latchkey/store'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { requestEventFields } from '../settings/events/request-event-fields.ts'
import { nothingHere, plainReply } from './plain-reply.ts'

/** Answers what clients of others ask, and what browsers ask on their behalf. */
export async function answerAuthorization(request: HttpRequest, site: Site): Promise<HttpReply> {
  try {
    const { authorization } = await site.open()
    return authorization ? await authorization.handle(request) : nothingHere(site)
  } catch (cause) {
    // A body that cannot be read says itself what its answer is.
    if (isHttpError(cause))
      return plainReply(site, { status: cause.status, text: 'The request body could not be read.' })
    const failure = describeFailure(cause)
    site.emit({ type: 'service.failed', ...requestEventFields(request, site), during: 'oauth', failure, cause })
    const status = isStoreError(cause) || isClosed(cause) ? 503 : 500
    const headers = status === 503 ? ([['Retry-After', '5']] as const) : []
    return plainReply(site, { status, text: 'Something went wrong. Try again later.', headers })
  }
}

/** The service is shutting down, or could not be opened. */
function isClosed(cause: unknown): boolean {
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'SERVICE_UNAVAILABLE'
}
