import type { HttpResponse } from '@latchkey/http'
import { type Rejection, rejection } from './rejection.ts'

const bearer = 'Bearer realm="mcp"'

export interface ChallengeInput {
  /** The scopes that a grant needs. */
  readonly scopes: readonly string[]
  readonly isTokenRefused: boolean
}

/** Rejects a request without a valid token (RFC 6750 §3). */
export function unauthenticated({ scopes, isTokenRefused }: ChallengeInput): Rejection {
  const error = isTokenRefused ? 'invalid_token' : null
  return rejection({
    status: 401,
    message: 'Sign in to do this.',
    data: { code: 'UNAUTHENTICATED', scopes },
    headers: [challenge({ error, scope: scopes.join(' ') || null })],
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
  if (!error || !(status in challenges)) return null
  const { code, challenge: named, scopes, maxAgeSeconds } = error.extensions ?? {}
  if (status === 403 && named !== 'insufficient_scope') return null
  const retry = headers.filter(([name]) => /^(?:retry-after|ratelimit.*)$/i.test(name))
  const kind = challenges[status]?.(String(code))
  const parameters = { scope: Array.isArray(scopes) ? scopes.join(' ') : null, max_age: numberText(maxAgeSeconds) }
  return rejection({
    status,
    message: error.message,
    data: { code, ...(typeof named === 'string' && { challenge: named }), ...(Array.isArray(scopes) && { scopes }) },
    headers: [...(kind === undefined ? [] : [challenge({ error: kind, ...parameters })]), ...retry],
  })
}

/** What a status of the endpoint is called in the challenge; `undefined`: it has none. */
const challenges: Readonly<Record<number, (code: string) => string | null | undefined>> = {
  401: (code) => (code === 'STEP_UP_REQUIRED' ? 'insufficient_user_authentication' : null),
  403: () => 'insufficient_scope',
  429: () => undefined,
  503: () => undefined,
}

function challenge(parameters: Readonly<Record<string, string | null>>): readonly [string, string] {
  const written = Object.entries(parameters).flatMap(([name, value]) => (value === null ? [] : [`${name}="${value}"`]))
  return ['WWW-Authenticate', [bearer, ...written].join(', ')]
}

function numberText(value: unknown): string | null {
  return typeof value === 'number' && Number.isFinite(value) ? String(Math.floor(value)) : null
}
