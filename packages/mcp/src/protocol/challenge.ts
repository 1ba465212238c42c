import type { HttpResponse } from '@latchkey/http'
import { type Rejection, rejection } from './rejection.ts'

const challengeHeader = 'WWW-Authenticate'
const bearer = 'Bearer realm="mcp"'

export interface ChallengeInput {
  /** The scopes that a grant needs. */
  readonly scopes: readonly string[]
  readonly isTokenRefused: boolean
}

/** Rejects a request without a valid token (RFC 6750 §3). */
export function unauthenticated({ scopes, isTokenRefused }: ChallengeInput): Rejection {
  const error = isTokenRefused ? ', error="invalid_token"' : ''
  const scope = scopes.length === 0 ? '' : `, scope="${scopes.join(' ')}"`
  return rejection({
    status: 401,
    message: 'Sign in to do this.',
    data: { code: 'UNAUTHENTICATED', scopes },
    headers: [[challengeHeader, `${bearer}${error}${scope}`]],
  })
}

/** An error of the endpoint, as its response has it. */
export interface EndpointError {
  readonly message: string
  readonly extensions?: Readonly<Record<string, unknown>>
}

/**
 * Returns the rejection of a response of the endpoint that a client can act on: a challenge, or a wait. `null`: it cannot, or
 * it is no refusal of the whole operation.
 */
export function toRejection({ status, headers }: HttpResponse, [error]: readonly EndpointError[]): Rejection | null {
  const kept = headers.flatMap(([name, value]): Rejection['headers'] => {
    if (/^(?:retry-after|ratelimit.*)$/i.test(name)) return [[name, value]]
    return /^www-authenticate$/i.test(name) ? [[challengeHeader, value.replace(/^Bearer realm="[^"]*"/, bearer)]] : []
  })
  const isChallenge = kept.some(([name]) => name === challengeHeader)
  if (!error || (!isChallenge && status !== 429 && status !== 503)) return null
  const { code, challenge, scopes } = error.extensions ?? {}
  return rejection({
    status,
    message: error.message,
    data: {
      code,
      ...(typeof challenge === 'string' && { challenge }),
      ...(Array.isArray(scopes) && { scopes }),
    },
    headers: kept,
  })
}
