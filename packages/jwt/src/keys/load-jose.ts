/** The parts of jose that serve key pairs, and HMAC where the runtime has none that is synchronous. */
export interface Jose {
  readonly CompactSign: typeof import('jose/jws/compact/sign').CompactSign
  readonly compactVerify: typeof import('jose/jws/compact/verify').compactVerify
  readonly importJWK: typeof import('jose/key/import').importJWK
  readonly JWSSignatureVerificationFailed: typeof import('jose/errors').JWSSignatureVerificationFailed
}

/**
 * Gives jose, loaded when the first key asks for it: it is 17 files, and whoever has nothing but HS256 on Node.js needs
 * none of them. A key holds what it was given, so no token waits for a file.
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
