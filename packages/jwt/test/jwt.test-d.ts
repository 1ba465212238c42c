import {
  acceptAnyAudience,
  allowLongLifetime,
  createJwtSigner,
  createJwtVerifier,
  createKeyRing,
  generateJwtKey,
  importJwtKey,
  type JwtKey,
  type JwtRefusal,
  type JwtVerdict,
  type KeyRing,
  type KeySet,
  type VerifiedClaims,
} from '@latchkey/jwt'
import { describe, expectTypeOf, test } from 'vitest'

declare const keys: KeyRing
declare const set: KeySet
const common = { issuer: 'https://id.example.com', audience: 'https://api.example.com' }

describe('a verifier', () => {
  test('compiles only with at least one known algorithm', () => {
    createJwtVerifier({ ...common, keys, algorithms: ['ES256'] })
    createJwtVerifier({ ...common, keys: set, algorithms: ['ES256', 'HS256'] })
    // @ts-expect-error an empty list
    createJwtVerifier({ ...common, keys, algorithms: [] })
    // @ts-expect-error none
    createJwtVerifier({ ...common, keys, algorithms: ['none'] })
    // @ts-expect-error not spoken
    createJwtVerifier({ ...common, keys, algorithms: ['HS512'] })
    // @ts-expect-error left out
    createJwtVerifier({ ...common, keys })
    // @ts-expect-error a list that may be empty
    createJwtVerifier({ ...common, keys, algorithms: [] as 'ES256'[] })
  })

  test('compiles only with issuer and audience, or with acceptAnyAudience', () => {
    createJwtVerifier({ ...common, keys, algorithms: ['ES256'], audience: acceptAnyAudience })
    // @ts-expect-error no audience
    createJwtVerifier({ issuer: 'a', keys, algorithms: ['ES256'] })
    // @ts-expect-error no issuer
    createJwtVerifier({ audience: 'a', keys, algorithms: ['ES256'] })
    // @ts-expect-error false turns nothing off
    createJwtVerifier({ ...common, keys, algorithms: ['ES256'], audience: false })
    // @ts-expect-error another symbol
    createJwtVerifier({ ...common, keys, algorithms: ['ES256'], audience: allowLongLifetime })
  })

  test('compiles only with a key set', () => {
    // @ts-expect-error a string
    createJwtVerifier({ ...common, algorithms: ['HS256'], keys: 'secret' })
    // @ts-expect-error bytes
    createJwtVerifier({ ...common, algorithms: ['HS256'], keys: new Uint8Array(32) })
    // @ts-expect-error a list of keys
    createJwtVerifier({ ...common, algorithms: ['HS256'], keys: [] as JwtKey[] })
  })

  test('has claims only after the verdict was looked at', async () => {
    const verdict = await createJwtVerifier({ ...common, keys, algorithms: ['ES256'] }).verify(null)
    expectTypeOf(verdict).toEqualTypeOf<JwtVerdict>()
    // @ts-expect-error not known to be ok
    void verdict.claims
    if (verdict.ok) expectTypeOf(verdict.claims).toEqualTypeOf<VerifiedClaims>()
    else expectTypeOf(verdict.reason).toEqualTypeOf<JwtRefusal>()
  })

  test('does not accept undefined instead of null', () => {
    // @ts-expect-error null says that nothing was shown
    void createJwtVerifier({ ...common, keys, algorithms: ['ES256'] }).verify(undefined)
  })
})

test('verified claims are made by a verifier only, and cannot be written', () => {
  const claims = { iss: 'a', sub: 'a', aud: 'a', exp: 1, iat: 0 }
  // @ts-expect-error not verified
  expectTypeOf(claims).toExtend<VerifiedClaims>()
  // @ts-expect-error nor by a literal of the type
  const made: VerifiedClaims = claims
  // @ts-expect-error read only
  made.sub = 'b'
  expectTypeOf(made.role).toEqualTypeOf<string | undefined>()
  expectTypeOf(made.epoch).toEqualTypeOf<number | undefined>()
  expectTypeOf(made.scope).toEqualTypeOf<unknown>()
})

describe('keys', () => {
  test('are made of typed material, never of a string', () => {
    importJwtKey({ id: 'a', algorithm: 'HS256', bytes: new Uint8Array(32) })
    importJwtKey({ id: 'a', algorithm: 'ES256', jwk: { kty: 'EC', crv: 'P-256', x: '', y: '' } })
    importJwtKey({ id: 'a', algorithm: 'ES256', jwk: {} as JsonWebKey })
    // @ts-expect-error a string
    importJwtKey({ id: 'a', algorithm: 'HS256', bytes: 'secret' })
    // @ts-expect-error a PEM text
    importJwtKey({ id: 'a', algorithm: 'RS256', jwk: '-----BEGIN PUBLIC KEY-----' })
    // @ts-expect-error a secret for a key pair
    importJwtKey({ id: 'a', algorithm: 'RS256', bytes: new Uint8Array(32) })
    // @ts-expect-error a key pair for a secret
    importJwtKey({ id: 'a', algorithm: 'HS256', jwk: {} })
    // @ts-expect-error no algorithm
    importJwtKey({ id: 'a', bytes: new Uint8Array(32) })
    // @ts-expect-error none
    generateJwtKey('none')
  })

  test('are made here only', () => {
    // @ts-expect-error not made by generateJwtKey or importJwtKey
    createKeyRing({ keys: [{ id: 'a', algorithm: 'HS256', canSign: true }] })
    // @ts-expect-error a string
    createKeyRing({ keys: ['secret'] })
    // @ts-expect-error none
    createKeyRing({ keys: [] })
  })
})

describe('a signer', () => {
  const signer = createJwtSigner({ ...common, keys, maxTtl: allowLongLifetime })

  test('takes a subject and any claims except the claims that it sets', () => {
    void signer.sign({ sub: 'a', role: undefined, scope: 'x', deep: { list: [1] } })
    // @ts-expect-error no subject
    void signer.sign({ role: 'a' })
    // @ts-expect-error set by the signer
    void signer.sign({ sub: 'a', exp: 1 })
    // @ts-expect-error set by the signer
    void signer.sign({ sub: 'a', iss: 'b' })
    // @ts-expect-error roles are joined with a space
    void signer.sign({ sub: 'a', role: ['ADMIN'] })
  })

  test('needs a ring that signs, and a symbol for long lives', () => {
    // @ts-expect-error a key set has no signing key
    createJwtSigner({ ...common, keys: set })
    // @ts-expect-error true opens nothing
    createJwtSigner({ ...common, keys, maxTtl: true })
  })
})
