import { createJwtSigner, createJwtVerifier, createKeyRing, generateJwtKey, type JwtAlgorithm } from '@latchkey/jwt'
import { describe, expect, test } from 'vitest'
import { audience, issuer, now } from './forge-token.ts'

/** Whether a token is signed before the event loop does anything else: a thread answers after that at the earliest. */
async function isSignedAtOnce(algorithm: JwtAlgorithm): Promise<boolean> {
  const keys = createKeyRing({ keys: [await generateJwtKey(algorithm)] })
  let isSigned = false
  const signed = createJwtSigner({ issuer, audience, keys, now })
    .sign({ sub: 'acc_1' })
    .then(() => {
      isSigned = true
    })
  for (let step = 0; step < 100; step++) await Promise.resolve()
  const atOnce = isSigned
  await signed
  return atOnce
}

describe('a signature', () => {
  test.each(['HS256', 'ES256', 'EdDSA'] as const)('is computed synchronously for %s', async (algorithm) => {
    expect(await isSignedAtOnce(algorithm)).toBe(true)
  })

  test.each(['RS256', 'PS256'] as const)('is computed by a thread for the slower %s', async (algorithm) => {
    expect(await isSignedAtOnce(algorithm)).toBe(false)
  })
})

describe('a signature that was computed at once', () => {
  // One of 128 on P-256 has a number that begins with a zero byte, which the platform leaves out.
  test.each([
    ['ES256', 1500],
    ['EdDSA', 50],
  ] as const)('is verified by jose for %s with any bytes, %i times', async (algorithm, count) => {
    const keys = createKeyRing({ keys: [await generateJwtKey(algorithm)] })
    const signer = createJwtSigner({ issuer, audience, keys, now })
    const verifier = createJwtVerifier({ issuer, audience, algorithms: [algorithm], keys, now, maxCachedTokens: 0 })
    for (let signed = 0; signed < count; signed++) {
      const { token } = await signer.sign({ sub: 'acc_1' })
      expect(token.slice(token.lastIndexOf('.') + 1)).toHaveLength(86)
      expect(await verifier.verify(token)).toMatchObject({ ok: true })
    }
  })
})
