import type { HttpRequest, HttpResponse } from '@latchkey/http'
import { answerDocument } from '../page-kit/public-document.ts'
import type { OpenableService as Site } from '../service/openable-service.ts'

/**
 * Answers the public keys of access tokens (RFC 7517 §5), for services that verify tokens themselves. With a symmetric
 * algorithm the set is empty. An outage is answered 503, because an empty set would refuse every token elsewhere.
 */
export function answerJwks(request: HttpRequest, site: Site): Promise<HttpResponse> {
  return answerDocument(request, site, {
    during: 'jwks',
    contentType: 'application/jwk-set+json',
    maxAgeSeconds: site.accessTokens.jwksMaxAgeSeconds,
    read: (service) => service.jwks(),
  })
}
