import { checkOptionNames } from '@latchkey/core/internal'
import type { HttpRequest } from '../http-request.ts'
import { isBearerSent, isDpopSent, readBearer, readDpop } from './read-bearer.ts'
import type { SessionCookie } from './session-cookie.ts'

/**
 * Which credential was shown, and its identity. A credential without an identity was refused. `bearer`: an access token, of
 * either scheme.
 */
export interface IdentityReading<I> {
  readonly credential: 'bearer' | 'cookie' | null
  readonly identity: I | null
}

/** Finds the credential of a request and has it verified. */
export interface IdentityReader<I> {
  /**
   * Reads headers and cookies. Proofs of keys must be for the method and target of the request. Errors of `verify` pass
   * through: an outage is not an anonymous visitor.
   */
  read(
    request: Pick<HttpRequest, 'headers' | 'waitUntil'> & Partial<Pick<HttpRequest, 'cookies' | 'method' | 'target'>>,
  ): Promise<IdentityReading<I>>
}

/** The parts of a request that a `verify` has. */
export type CredentialRequest = Parameters<IdentityReader<unknown>['read']>[0]

const optionNames = { cookie: true, bearer: true, dpop: true } as const

/**
 * Creates a reader of identities. Of a bearer token and a cookie in one request the token alone counts, even when it is
 * malformed or refused: it never falls back to the cookie, or a page could have a request judged by a cookie that its
 * sender did not mean to show.
 *
 * @throws TypeError when neither a cookie nor a bearer is given, or one of them lacks its `verify`.
 *
 * @example
 * import { createIdentityReader, createSessionCookie } from '@latchkey/http'
 * const reader = createIdentityReader({
 *   cookie: { cookie: createSessionCookie(), verify: async (credential) => (credential === 'se_1' ? 'ada' : null) },
 *   bearer: { verify: async (token) => (token === 'token' ? 'grace' : null) },
 * })
 */
export function createIdentityReader<I>(options: {
  /** Sessions: the cookie, and a function that returns the identity of its value, `null` when it is not valid. */
  readonly cookie?: {
    readonly cookie: SessionCookie
    verify(credential: string, request: Parameters<IdentityReader<I>['read']>[0]): Promise<I | null>
  }
  /** Access tokens: a function that returns the identity of a token, `null` when it is not valid. */
  readonly bearer?: { verify(token: string, request: Parameters<IdentityReader<I>['read']>[0]): Promise<I | null> }
  /**
   * Access tokens that are bound to a key (RFC 9449 §7.1): a function that also verifies the proof of the request. Omitted:
   * the scheme `DPoP` is no credential.
   */
  readonly dpop?: { verify(token: string, request: Parameters<IdentityReader<I>['read']>[0]): Promise<I | null> }
}): IdentityReader<I> {
  const { cookie, bearer, dpop } = checkOptionNames('createIdentityReader', options, optionNames)
  if (!cookie && !bearer) throw new TypeError('"cookie" or "bearer" must be given')
  if (cookie && (typeof cookie.verify !== 'function' || typeof cookie.cookie?.read !== 'function')) {
    throw new TypeError('"cookie" must be { cookie, verify }, with a cookie of createSessionCookie')
  }
  for (const [name, tokens] of Object.entries({ bearer, dpop })) {
    if (tokens && typeof tokens.verify !== 'function') throw new TypeError(`"${name}" must be { verify }`)
    if (tokens) checkOptionNames(`"${name}"`, tokens, { verify: true })
  }
  if (cookie) checkOptionNames('"cookie"', cookie, { cookie: true, verify: true })
  return {
    async read(request) {
      const authorization = request.headers.get('authorization') ?? null
      const token = readBearer(authorization)
      if (token !== null || isBearerSent(authorization)) {
        return { credential: 'bearer', identity: await verify(token, bearer, request) }
      }
      if (dpop && isDpopSent(authorization)) {
        return { credential: 'bearer', identity: await verify(readDpop(authorization), dpop, request) }
      }
      const { cookies } = request
      const sent = cookies ? { cookies } : request.headers.get('cookie')
      const credential = cookie?.cookie.read(sent) ?? null
      if (credential === null && !cookie?.cookie.isSent(sent)) return { credential: null, identity: null }
      return { credential: 'cookie', identity: await verify(credential, cookie, request) }
    },
  }
}

function verify<I>(
  shown: string | null,
  verifier: { verify(shown: string, request: CredentialRequest): Promise<I | null> } | undefined,
  request: CredentialRequest,
): Promise<I | null> | null {
  return shown === null || !verifier ? null : verifier.verify(shown, request)
}
