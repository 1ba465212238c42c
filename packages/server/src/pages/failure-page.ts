import type { Emit } from '@latchkey/events'
import { isAccessError } from '@latchkey/graphql'
import type { AddressReader, HttpReply, HttpRequest, RequestIds, SecurityHeaders } from '@latchkey/http'
import { describeFailure, isStoreError } from '@latchkey/store'
import { translateError } from '../accounts-schema/translate-error.ts'
import { saidOfRequest } from '../settings/said-of-request.ts'
import type { ServiceFailedEvent } from '../settings/server-event.ts'
import { html } from './html.ts'
import { createPage } from './page.ts'

export interface FailurePageParts {
  readonly security: SecurityHeaders
  readonly addresses: AddressReader
  readonly requestIds: RequestIds
  readonly emit: Emit<ServiceFailedEvent>
}

/** Returns the page for what was thrown while a form was handled. It shows nothing of the error itself. */
export function answerFailure(error: unknown, request: HttpRequest, parts: FailurePageParts): HttpReply {
  const { security, emit } = parts
  const refusal = isAccessError(error) ? error : translateError(error)
  if (refusal?.code === 'CSRF_REJECTED') {
    const body = html`<p>The form was sent by a page of somebody else. Open the link of the mail again.</p>`
    return createPage(security, { status: 403, title: 'This came from another page', body })
  }
  if (!refusal) {
    const said = saidOfRequest(request, parts)
    emit({ type: 'service.failed', ...said, during: 'page', failure: describeFailure(error), cause: error })
  }
  if (refusal?.code === 'SERVICE_UNAVAILABLE' || isStoreError(error)) {
    const body = html`<p>Please try again in a moment.</p>`
    const headers = [['Retry-After', String(refusal?.extensions.retryAfterSeconds ?? 5)]] as const
    return createPage(security, { status: 503, title: 'Not available', body, headers })
  }
  const body = html`<p>It was our fault. Please try again later.</p>`
  return createPage(security, { status: 500, title: 'Something went wrong', body })
}
