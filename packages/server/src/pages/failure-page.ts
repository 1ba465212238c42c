import { isAccessError } from '@latchkey/graphql'
import type { HttpReply, SecurityHeaders } from '@latchkey/http'
import { isStoreError } from '@latchkey/store'
import { translateError } from '../accounts-schema/translate-error.ts'
import { type Announce, createFailedEvent } from '../settings/server-event.ts'
import { html } from './html.ts'
import { createPage } from './page.ts'

export interface FailurePageParts {
  readonly security: SecurityHeaders
  readonly announce: Announce
  readonly now: () => number
}

/** Returns the page for what was thrown while a form was handled. It shows nothing of the error itself. */
export function answerFailure(error: unknown, { security, announce, now }: FailurePageParts): HttpReply {
  const refusal = isAccessError(error) ? error : translateError(error)
  if (refusal?.code === 'CSRF_REJECTED') {
    const body = html`<p>The form was sent by a page of somebody else. Open the link of the mail again.</p>`
    return createPage(security, { status: 403, title: 'This came from another page', body })
  }
  if (!refusal) announce(createFailedEvent({ type: 'service-failed', at: now(), during: 'page', cause: error }))
  if (refusal?.code === 'SERVICE_UNAVAILABLE' || isStoreError(error)) {
    const body = html`<p>Please try again in a moment.</p>`
    const headers = [['Retry-After', String(refusal?.extensions.retryAfterSeconds ?? 5)]] as const
    return createPage(security, { status: 503, title: 'Not available', body, headers })
  }
  const body = html`<p>It was our fault. Please try again later.</p>`
  return createPage(security, { status: 500, title: 'Something went wrong', body })
}
