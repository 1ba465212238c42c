import type { HttpRequest } from '@latchkey/http'
import { verifyProof } from '../../proofs/dpop-proof.ts'
import type { ServerContext } from '../context/server-context.ts'
import { type Refusal, refuse } from '../responses/refusal.ts'

/** Returns the thumbprint of the key that a request proves to hold; `null`: it sends no proof (RFC 9449 §5). */
export async function readProvenKey(
  context: ServerContext,
  request: HttpRequest,
  path: string,
): Promise<{ readonly ok: true; readonly keyBinding: string | null } | Refusal> {
  const proof = request.headers.get('dpop') ?? null
  if (proof === null) return { ok: true, keyBinding: null }
  const expected = { method: request.method, url: `${context.issuer}${path}`, accessToken: null }
  const verdict = await verifyProof(context, proof, expected)
  if (verdict.ok) return { ok: true, keyBinding: verdict.thumbprint }
  if (verdict.reason === 'time') {
    const refusal = refuse('use_dpop_nonce', 'The DPoP proof needs the nonce of the header "DPoP-Nonce".')
    return { ...refusal, headers: [['DPoP-Nonce', context.nonces.create()]] }
  }
  return refuse('invalid_dpop_proof', `The DPoP proof is invalid: ${verdict.reason}.`)
}
