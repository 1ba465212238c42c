import type { HttpRequest } from '@latchkey/http'
import { type ProofContext, proofAlgorithmNames, verifyProof } from '../proofs/dpop-proof.ts'
import type { AccessToken } from './access-token.ts'

/** Longer than any token and its scheme. */
const longest = 8300

/** A presented token with its scheme. One scheme never replaces the other. */
export interface PresentedToken {
  readonly scheme: 'Bearer' | 'DPoP'
  readonly text: string
}

/**
 * Returns the token of an `Authorization` header (RFC 6750 §2.1, RFC 9449 §7.1); `null`: no header; `invalid`: another
 * scheme, no token or several.
 */
export function readPresented(authorization: string | null): PresentedToken | null | 'invalid' {
  if (authorization === null) return null
  const match = authorization.length > longest ? null : /^(bearer|dpop) +([\w.~+/-]+=*)$/i.exec(authorization)
  const [, scheme = '', text = ''] = match ?? []
  if (!match) return 'invalid'
  return { scheme: scheme.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer', text }
}

/** The verdict on a request's access token. */
export type AccessTokenVerdict =
  | { readonly ok: true; readonly token: AccessToken }
  | {
      readonly ok: false
      readonly reason: /** The `Authorization` header is missing. */
        | 'missing'
        /** The header has another scheme, no token or several. */
        | 'malformed'
        /** Not a valid access token for this resource. */
        | 'token'
        /** A bound token as `Bearer`, or an unbound token as `DPoP`. */
        | 'scheme'
        /** The proof of a bound token is missing, refused, or made with another key. */
        | 'proof'
        /** Only the client's clock is wrong: a proof with `nonce` is accepted. */
        | 'nonce'
      /** The values of `WWW-Authenticate` for the 401. */
      readonly challenges: readonly string[]
      /** The `DPoP-Nonce` of the response (RFC 9449 §9); `null`: no such header. */
      readonly nonce: string | null
    }

/** The reasons for a refused token. */
export type PresentedRefusal = Extract<AccessTokenVerdict, { readonly ok: false }>['reason']

/** The request that a token's proof must match. */
export interface BindingExpectation {
  readonly request: Pick<HttpRequest, 'method' | 'headers'>
  /** The public URL of the request. */
  readonly url: string
}

/**
 * Returns the reason why a valid token must not be used as presented, or `null`. `nonce`: only if `context` has nonces.
 */
export async function bindingRefusal(
  context: ProofContext,
  { presented, token }: { readonly presented: PresentedToken; readonly token: AccessToken },
  { request, url }: BindingExpectation,
): Promise<'scheme' | 'proof' | 'nonce' | null> {
  const { keyBinding } = token
  if (keyBinding === null) return presented.scheme === 'Bearer' ? null : 'scheme'
  if (presented.scheme !== 'DPoP') return 'scheme'
  const proof = request.headers.get('dpop') ?? null
  if (proof === null) return 'proof'
  const expected = { method: request.method, url, accessToken: presented.text, thumbprint: keyBinding }
  const verdict = await verifyProof(context, proof, expected)
  if (verdict.ok) return null
  return context.nonces && verdict.reason === 'time' ? 'nonce' : 'proof'
}

/** @param more an additional parameter of each challenge. */
export function refusePresented(
  { nonces }: Pick<ProofContext, 'nonces'>,
  reason: PresentedRefusal,
  more = '',
): Extract<AccessTokenVerdict, { readonly ok: false }> {
  const nonce = reason === 'nonce' ? (nonces?.create() ?? null) : null
  return { ok: false, reason, challenges: challengesOf(reason, { more }), nonce }
}

/** Returns the `WWW-Authenticate` values of a refusal, for both schemes (RFC 6750 §3, RFC 9449 §7.1). */
export function challengesOf(
  refusal: PresentedRefusal,
  { more = '' }: { readonly more?: string } = {},
): readonly string[] {
  const algorithms = `algs="${proofAlgorithmNames}"`
  if (refusal === 'missing') return [join('Bearer', more), join('DPoP', algorithms, more)]
  if (refusal === 'nonce') return [join('DPoP', 'error="use_dpop_nonce"', algorithms, more)]
  if (refusal === 'malformed') {
    const error = 'error="invalid_request"'
    return [join('Bearer', error, more), join('DPoP', error, algorithms, more)]
  }
  const bearer = join('Bearer', 'error="invalid_token"', more)
  const error = refusal === 'proof' ? 'error="invalid_dpop_proof"' : 'error="invalid_token"'
  return [bearer, join('DPoP', error, algorithms, more)]
}

function join(scheme: string, ...parameters: readonly string[]): string {
  const sent = parameters.filter((parameter) => parameter !== '')
  return sent.length === 0 ? scheme : `${scheme} ${sent.join(', ')}`
}
