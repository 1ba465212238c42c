import type { HttpReply, HttpRequest } from '@latchkey/http'
import { describeFailure } from '@latchkey/store'
import type { OpenableService as Site } from '../service/openable-service.ts'
import { saidOfRequest } from '../settings/said-of-request.ts'

/**
 * The public keys of access tokens (RFC 7517 §5), for services that verify them by themselves; none where they are signed
 * with a symmetric key. An outage is 503 and no empty set, which would refuse every token elsewhere.
 */
export async function answerJwks(request: HttpRequest, site: Site): Promise<HttpReply> {
  const { open, emit, security, accessTokens } = site
  try {
    const body = JSON.stringify(await (await open()).jwks())
    const caching = ['Cache-Control', `public, max-age=${accessTokens.jwksMaxAgeSeconds}`] as const
    return { status: 200, headers: [['Content-Type', 'application/jwk-set+json'], caching, ...security.api], body }
  } catch (cause) {
    emit({
      type: 'service.failed',
      ...saidOfRequest(request, site),
      during: 'jwks',
      failure: describeFailure(cause),
      cause,
    })
    const headers = [
      ['Cache-Control', 'no-store'],
      ['Retry-After', '5'],
    ] as const
    return { status: 503, headers: [...headers, ...security.api], body: null }
  }
}
