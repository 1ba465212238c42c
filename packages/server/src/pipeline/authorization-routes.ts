import { describeFailure } from '@latchkey/core/internal'
import { isHttpError } from '@latchkey/http'
import { isStoreError } from '@latchkey/store'
import { requestEventFields } from '../options/observe/request-event-fields.ts'
import { nothingHere, plainResponse } from '../page-kit/plain-response.ts'
import { type RouteHandler, serviceOf } from './passage.ts'

/** Answers OAuth clients, and browsers on their behalf. */
export const authorizationHandler: RouteHandler = {
  column: 'oauth',
  endpoint: null,
  respond(passage) {
    const { authorization } = serviceOf(passage)
    return authorization ? authorization.handle(passage.request) : nothingHere(passage.site)
  },
  reject(cause, { request, site }) {
    // The error of an unreadable body has its status.
    if (isHttpError(cause))
      return plainResponse(site, { status: cause.status, text: 'The request body could not be read.' })
    const failure = describeFailure(cause)
    site.emit({ type: 'service.failed', ...requestEventFields(request, site), during: 'oauth', failure, cause })
    const status = isStoreError(cause) || isClosed(cause) ? 503 : 500
    const headers = status === 503 ? ([['Retry-After', '5']] as const) : []
    return plainResponse(site, { status, text: 'Something went wrong. Try again later.', headers })
  },
}

/** The service is shutting down, or could not be opened. */
function isClosed(cause: unknown): boolean {
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'SERVICE_UNAVAILABLE'
}
