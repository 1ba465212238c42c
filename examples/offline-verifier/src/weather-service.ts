import { createServer, type RequestListener, type Server } from 'node:http'
import { createJwtVerifier, createRemoteKeySet, type JwtVerifier } from '@latchkey/jwt'

export interface WeatherServiceOptions {
  /** The origin of the service that signs the tokens: their `iss`, and where its public keys are. */
  readonly issuer: string
  /** The audience, `aud`, of the tokens. A service of Latchkey names its own origin. */
  readonly audience: string
  /** How long fetched keys are used; the issuer must publish its keys ahead for longer. */
  readonly maxAgeSeconds?: number
  /** The shortest time between two fetches because of keys that are not known. */
  readonly cooldownSeconds?: number
}

/** Creates a service that answers users of another service with the weather. It never asks that service about a user. */
export function createWeatherService({ issuer, audience, ...ages }: WeatherServiceOptions): Server {
  const keys = createRemoteKeySet({ url: `${issuer}/jwks`, ...ages })
  const verifier = createJwtVerifier({ issuer, audience, algorithms: ['ES256', 'EdDSA', 'RS256'], keys })
  return createServer(answerWith(verifier))
}

function answerWith(verifier: JwtVerifier): RequestListener {
  return async (request, response) => {
    response.setHeader('cache-control', 'no-store').setHeader('content-type', 'application/json; charset=utf-8')
    try {
      const verdict = await verifier.verify(readBearer(request.headers.authorization))
      if (verdict.ok) {
        const { sub, role = '' } = verdict.claims
        return void response.end(JSON.stringify({ subject: sub, roles: role.split(' '), weather: 'rain' }))
      }
      // The reason is for the log: a client learns no more than that its token is of no use (RFC 6750 §3.1).
      const challenge = verdict.reason === 'missing' ? 'Bearer' : 'Bearer error="invalid_token"'
      response.writeHead(401, { 'www-authenticate': challenge }).end('{"error":"unauthenticated"}')
    } catch {
      // No keys, no verdict: that is an outage, and signs no one out.
      response.writeHead(503, { 'retry-after': '5' }).end('{"error":"unavailable"}')
    }
  }
}

function readBearer(authorization: string | undefined): string | null {
  return /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization ?? '')?.[1] ?? null
}
