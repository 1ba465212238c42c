import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { nothingHere } from '../../page-kit/plain-response.ts'
import { answerDocument } from '../../page-kit/public-document.ts'
import type { OpenableService as Site } from '../../service/openable-service.ts'

/** So an origin that was taken out of the options is soon taken out of caches. */
const maxAgeSeconds = 300

/**
 * Lists the origins on other domains whose pages may use the passkeys (WebAuthn Level 3, section 5.11), for browsers.
 */
export async function answerRelatedOrigins(request: HttpRequest, site: Site): Promise<HttpResponse> {
  if (site.options.passkeys === undefined) return nothingHere(site)
  return answerDocument(request, site, {
    during: 'related-origins',
    contentType: 'application/json',
    maxAgeSeconds,
    read: ({ secondFactors }) => secondFactors.passkeys?.relatedOrigins ?? null,
  })
}
