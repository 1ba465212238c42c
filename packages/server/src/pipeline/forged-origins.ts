import type { ForgeryCheck, HttpRequest, HttpResponse } from '@latchkey/http'
import { requestEventFields } from '../options/observe/request-event-fields.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'

/** Announces, in development, the origin of a request that was rejected as forged: the developer's own page, as likely as not. */
export function noteForgedOrigin(
  request: HttpRequest,
  { status, body }: HttpResponse,
  { site, forgery, isForm = false }: { readonly site: Site; readonly forgery: ForgeryCheck; readonly isForm?: boolean },
): void {
  const { refusedOrigins } = site
  if (refusedOrigins === null || status !== 403 || forgery.checkOrigin(request).ok) return
  // A page of `corsOrigins` gets the 403 of its permissions too.
  if (!isForm && !(typeof body === 'string' && body.includes('"CSRF_REJECTED"'))) return
  const origin = request.headers.get('origin')
  if (origin !== undefined) refusedOrigins.note(origin, 'forgery', requestEventFields(request, site))
}
