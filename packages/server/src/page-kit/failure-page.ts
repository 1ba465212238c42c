import type { Emit } from '@latchkey/core/internal'
import { describeFailure } from '@latchkey/core/internal'
import { type AccessErrorCode, isAccessError } from '@latchkey/graphql'
import type { AddressReader, HttpRequest, HttpResponse, SecurityHeaders } from '@latchkey/http'
import type { RequestIds } from '@latchkey/http/internal'
import { type RateLimitPolicy, toRateLimitHeaders } from '@latchkey/rate-limit'
import { isStoreError } from '@latchkey/store'
import { requestEventFields } from '../options/observe/request-event-fields.ts'
import type { ServerEvent } from '../options/observe/server-event.ts'
import type { PageSettings } from '../options/pages/page-settings.ts'
import { translateError } from '../schema/translate-error.ts'
import { html } from './html/html.ts'
import { createPage, frameFor, type PageFrame } from './html/page.ts'
import { redirect } from './redirect.ts'
import { readReturnPath, withReturn } from './return-path.ts'

export interface FailurePageParts {
  readonly security: SecurityHeaders
  readonly pages: PageSettings
  readonly addresses: AddressReader
  readonly requestIds: RequestIds
  readonly emit: Emit<Extract<ServerEvent, { type: 'service.failed' }>>
}

/** The status and text for each refusal. Other errors show no detail. */
const responses: Partial<Record<AccessErrorCode, readonly [status: number, about: FailureName]>> = {
  CSRF_REJECTED: [403, 'forged'],
  FORBIDDEN: [403, 'refused'],
  STEP_UP_REQUIRED: [403, 'refused'],
  NOT_FOUND: [404, 'refused'],
  BAD_USER_INPUT: [400, 'refused'],
  INVALID_CREDENTIALS: [401, 'refused'],
  RATE_LIMITED: [429, 'too-many'],
  SERVICE_UNAVAILABLE: [503, 'unavailable'],
}
type FailureName = 'forged' | 'refused' | 'too-many' | 'unavailable' | 'unexpected'

/** Returns the page for an error thrown by a page or form. It shows no text of the error. */
export function answerFailure(error: unknown, request: HttpRequest, parts: FailurePageParts): HttpResponse {
  const { emit } = parts
  const frame = frameFor(request, parts)
  const refusal = isAccessError(error) ? error : translateError(error)
  if (refusal?.code === 'UNAUTHENTICATED') return leadToSignIn(frame, request)
  if (refusal?.extensions.reason === 'enrollment-required') return redirect(frame, '/account')
  if (refusal?.extensions.reason === 'impersonated') {
    return request.method === 'POST' ? ownersAlone(frame) : redirect(frame, '/account')
  }
  const [status, about] = (refusal && responses[refusal.code]) ?? statusOfFailure(error)
  if (!refusal) {
    const facts = requestEventFields(request, parts)
    emit({ type: 'service.failed', ...facts, during: 'page', failure: describeFailure(error), cause: error })
  }
  const { retryAfterSeconds: seconds, policy } = refusal?.extensions ?? {}
  const retryAfterSeconds = typeof seconds === 'number' ? seconds : 5
  return failurePage(frame, {
    status,
    about,
    retryAfterSeconds,
    policy: (policy as RateLimitPolicy | undefined) ?? null,
  })
}

function statusOfFailure(error: unknown): readonly [status: number, about: FailureName] {
  return isStoreError(error) ? [503, 'unavailable'] : [500, 'unexpected']
}

interface Failure {
  readonly status: number
  readonly about: FailureName
  readonly retryAfterSeconds: number
  /** The exceeded limit, if it is known. */
  readonly policy: RateLimitPolicy | null
}

function failurePage(frame: PageFrame, failure: Failure): HttpResponse {
  const { texts } = frame
  const { status, about } = failure
  const headers = headersOf(failure)
  const body = html`<p>${texts[`failure.${about}.text`]}</p>`
  return createPage(frame, { status, title: texts[`failure.${about}.title`], body, headers })
}

/** Says that the browser acts as another account, for a form that was opened before it did. */
function ownersAlone(frame: PageFrame): HttpResponse {
  const { texts } = frame
  const body = html`<p>${texts['impersonation.why']}</p>
<p><a href="/account">${texts['impersonation.title']}</a></p>`
  return createPage(frame, { status: 403, title: texts['failure.refused.title'], body })
}

function headersOf({ status, retryAfterSeconds, policy }: Failure): readonly (readonly [string, string])[] {
  if (status === 429 && policy) return Object.entries(toRateLimitHeaders({ ok: false, policy, retryAfterSeconds }))
  return status === 429 || status === 503 ? [['Retry-After', String(retryAfterSeconds)]] : []
}

/**
 * Redirects to the sign-in, which returns to the page. A form is not sent again: its user returns to the account page.
 */
function leadToSignIn(frame: PageFrame, { method, target }: HttpRequest): HttpResponse {
  return redirect(frame, withReturn('/sign-in', method === 'POST' ? '/account' : readReturnPath(target)))
}
