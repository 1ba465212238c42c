import type { HttpRequest } from '@latchkey/http'
import { type ProofContext, proofAlgorithmNames, verifyProof } from '../proofs/dpop-proof.ts'
import type { AccessToken } from './access-token.ts'

/** Longer than any token and its scheme. */
const longest = 8300

/** A token as it was presented: the two schemes are never in each other's place. */
export interface PresentedToken {
  readonly scheme: 'Bearer' | 'DPoP'
  readonly text: string
}

/**
 * Returns the token of an `Authorization` header (RFC 6750 §2.1, RFC 9449 §7.1); `null`: there is no header; `invalid`: it
 * is of another scheme, or more or less than one token.
 */
export function readPresented(authorization: string | null): PresentedToken | null | 'invalid' {
  if (authorization === null) return null
  const match = authorization.length > longest ? null : /^(bearer|dpop) +([\w.~+/-]+=*)$/i.exec(authorization)
  const [, scheme = '', text = ''] = match ?? []
  if (!match) return 'invalid'
  return { scheme: scheme.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer', text }
}

/** The verdict on what a request has presented. */
export type AccessTokenVerdict =
  | { readonly ok: true; readonly token: AccessToken }
  | {
      readonly ok: false
      readonly reason: /** There is no `Authorization` header. */
        | 'missing'
        /** The header is of another scheme, or more or less than one token. */
        | 'malformed'
        /** Not a living access token for this resource. */
        | 'token'
        /** A bound token as `Bearer`, or one that is bound to no key as `DPoP`. */
        | 'scheme'
        /** The proof of a bound token is missing, refused, or made with another key. */
        | 'proof'
        /** The clock of the client is wrong, and nothing else: a proof with `nonce` is accepted. */
        | 'nonce'
      /** The values of `WWW-Authenticate` for the 401. */
      readonly challenges: readonly string[]
      /** The value of `DPoP-Nonce` for the response (RFC 9449 §9); `null`: it has none. */
      readonly nonce: string | null
    }

/** Why a presented token is refused. */
export type PresentedRefusal = Extract<AccessTokenVerdict, { readonly ok: false }>['reason']

/** How a token is bound, and to which request its proof must belong. */
export interface BindingExpectation {
  readonly request: Pick<HttpRequest, 'method' | 'headers'>
  /** The public URL of the request. */
  readonly url: string
}

/** Returns why a living token may not be used in the way in which it was presented, or `null`. `nonce`: only if `context` has some. */
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

/** @param more a further parameter of each challenge. */
export function refusePresented(
  { nonces }: Pick<ProofContext, 'nonces'>,
  reason: PresentedRefusal,
  more = '',
): Extract<AccessTokenVerdict, { readonly ok: false }> {
  const nonce = reason === 'nonce' ? (nonces?.create() ?? null) : null
  return { ok: false, reason, challenges: challengesOf(reason, { more }), nonce }
}

/** Returns the values of `WWW-Authenticate` for a refusal: both schemes (RFC 6750 §3, RFC 9449 §7.1). */
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
