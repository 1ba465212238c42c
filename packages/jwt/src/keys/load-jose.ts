/** The parts of jose for key pairs, and for HMAC if the runtime has no synchronous implementation. */
export interface Jose {
  readonly CompactSign: typeof import('jose/jws/compact/sign').CompactSign
  readonly compactVerify: typeof import('jose/jws/compact/verify').compactVerify
  readonly importJWK: typeof import('jose/key/import').importJWK
  readonly JWSSignatureVerificationFailed: typeof import('jose/errors').JWSSignatureVerificationFailed
}

/**
 * Loads jose with the first key that needs it: HS256 on Node.js needs none of its 17 files. A key keeps what was
 * loaded, so no token waits for a file.
 */
export async function loadJose(): Promise<Jose> {
  const [{ CompactSign }, { compactVerify }, { importJWK }, { JWSSignatureVerificationFailed }] = await Promise.all([
    import('jose/jws/compact/sign'),
    import('jose/jws/compact/verify'),
    import('jose/key/import'),
    import('jose/errors'),
  ])
  return { CompactSign, compactVerify, importJWK, JWSSignatureVerificationFailed }
}
