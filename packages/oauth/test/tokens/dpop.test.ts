import { createJwtSigner } from '@latchkey/jwt'
import { describe, expect, test } from 'vitest'
import { claimsOf, issuer, openServer, resource } from './open-server.ts'
import { createSigner, type ProofParts, proofOf } from './signer.ts'

const key = await createSigner('ES256')
const other = await createSigner('ES256')
const userinfo = { method: 'GET', url: `${issuer}/userinfo` }

/** A server with a sign-in whose tokens are bound to `key`. */
async function openBound() {
  const opened = await openServer()
  const prove = (parts: Partial<ProofParts> = {}, by = key) => proofOf(by, { at: opened.now(), ...parts })
  const given = await opened.signIn('spa', {}, { dpop: await prove() })
  const proveAt = (parts: Partial<ProofParts> = {}, by = key) =>
    prove({ ...userinfo, token: given.access_token, ...parts }, by)
  return { ...opened, prove, proveAt, given }
}

describe('a token for a request with a proof', () => {
  test('is bound to its key', async () => {
    const { given } = await openBound()
    expect(given.token_type).toBe('DPoP')
    expect(claimsOf(given.access_token).cnf).toEqual({ jkt: key.thumbprint })
  })

  test.each(['ES256', 'EdDSA', 'RS256', 'PS256'])('is bound to a key of %s', async (algorithm) => {
    const signer = await createSigner(algorithm)
    const { signIn, now } = await openServer()
    const given = await signIn('spa', {}, { dpop: await proofOf(signer, { at: now() }) })
    expect(claimsOf(given.access_token).cnf).toEqual({ jkt: signer.thumbprint })
  })

  test('is accepted with a proof for this request', async () => {
    const { given, proveAt, present } = await openBound()
    expect((await present(given.access_token, 'DPoP', { dpop: await proveAt() })).status).toBe(200)
  })

  test('is accepted once with each proof, also of fifty requests at once', async () => {
    const { given, proveAt, present } = await openBound()
    const dpop = await proveAt()
    const answers = await Promise.all(Array.from({ length: 50 }, () => present(given.access_token, 'DPoP', { dpop })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  test('is refused as Bearer, with and without its proof', async () => {
    const { given, proveAt, present } = await openBound()
    expect((await present(given.access_token)).status).toBe(401)
    expect((await present(given.access_token, 'Bearer', { dpop: await proveAt() })).status).toBe(401)
  })

  test.each<[string, Partial<ProofParts>]>([
    ['for another method', { method: 'POST' }],
    ['for a method in another case', { method: 'get' }],
    ['for another path', { url: `${issuer}/token` }],
    ['for another host', { url: 'https://evil.example/userinfo' }],
    ['for another scheme', { url: 'http://id.example.com/userinfo' }],
    ['for another port', { url: `${issuer}:444/userinfo` }],
    ['for a host with user info', { url: 'https://a@id.example.com/userinfo' }],
    ['for no address', { url: '/userinfo' }],
    ['for another token', { token: 'another' }],
    ['for no token', { token: undefined, claims: {} }],
    ['with a hash of the token that is no text', { claims: { ath: 1 } }],
    ['without an id', { claims: { jti: undefined } }],
    ['with an id that is no text', { claims: { jti: 1 } }],
    ['with an empty id', { claims: { jti: '' } }],
    ['without a time', { claims: { iat: undefined } }],
    ['with a time that is a text', { claims: { iat: '1800000000' } }],
    ['of another type', { header: { typ: 'JWT' } }],
    ['without a type', { header: { typ: undefined } }],
    ['without a key', { header: { jwk: undefined } }],
    ['with the private key in it', { header: { jwk: key.privateJwk } }],
    ['with a symmetric key in it', { header: { jwk: { kty: 'oct', k: 'AAAA' } } }],
    ['with the public key of another signer', { header: { jwk: other.publicJwk } }],
    ['with an extension that must be understood', { header: { crit: ['b64'], b64: true } }],
  ])('is refused with a proof %s', async (_what, parts) => {
    const { given, proveAt, present, stored } = await openBound()
    const before = await stored()
    const refused = await present(given.access_token, 'DPoP', { dpop: await proveAt(parts) })
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    expect(refused.headers.get('www-authenticate')).toContain('DPoP error="invalid_dpop_proof", algs="ES256')
    expect(await stored()).toEqual(before)
    expect((await present(given.access_token, 'DPoP', { dpop: await proveAt() })).status).toBe(200)
  })

  test('a bound token is refused with a proof of another key, without a proof, with two proofs and with an invalid proof', async () => {
    const { given, proveAt, present } = await openBound()
    const [first, second] = [await proveAt(), await proveAt()]
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'dpop+jwt' })).toString('base64url')
    const hostile = [
      await proveAt({}, other),
      '',
      `${first}, ${second}`,
      'garbage',
      `${none}.${first.split('.')[1]}.`,
      first.slice(0, -6),
    ]
    for (const dpop of hostile) expect((await present(given.access_token, 'DPoP', { dpop })).status).toBe(401)
    expect((await present(given.access_token, 'DPoP')).status).toBe(401)
    expect((await present(given.access_token, 'DPoP', { dpop: first })).status).toBe(200)
  })

  test('is accepted with a proof whose address has a query, and that is a minute old', async () => {
    const { given, proveAt, present } = await openBound()
    const dpop = await proveAt({ url: `${userinfo.url}?a=b#c`, claims: { iat: 1_799_999_940 } })
    expect((await present(given.access_token, 'DPoP', { dpop })).status).toBe(200)
  })
})

test('a token that is bound to no key is refused as DPoP, even with a proof', async () => {
  const { signIn, present, now } = await openServer()
  const { access_token } = await signIn()
  const dpop = await proofOf(key, { at: now(), ...userinfo, token: access_token })
  expect((await present(access_token, 'DPoP', { dpop })).status).toBe(401)
  expect((await present(access_token, 'Bearer', { dpop })).status).toBe(200)
})

test('a token with another binding than a key is refused with and without a proof', async () => {
  const { signIn, present, now, keys } = await openServer()
  const {
    iss: _iss,
    aud: _aud,
    exp: _exp,
    iat: _iat,
    jti: _jti,
    nbf: _nbf,
    ...claims
  } = claimsOf((await signIn()).access_token)
  const signer = createJwtSigner({ issuer, audience: resource, keys, now, typ: 'at+jwt' })
  for (const cnf of [{ 'x5t#S256': 'a' }, {}, { jkt: '' }, { jkt: key.thumbprint, 'x5t#S256': 'a' }, 'a', null]) {
    const { token } = await signer.sign({ ...claims, sub: 'acc_1', cnf })
    const dpop = await proofOf(key, { at: now(), ...userinfo, token })
    expect((await present(token, 'DPoP', { dpop })).status).toBe(401)
    expect((await present(token)).status).toBe(401)
  }
})

describe('a proof at the token endpoint', () => {
  test.each<[string, unknown]>([
    ['a type that every object has', { kty: 'constructor' }],
    ['a type that is the prototype', { kty: '__proto__' }],
    ['a type that is no text', { kty: { toString: 1, valueOf: 1 } }],
    ['a type in a list', { kty: ['EC'] }],
    ['a prime of a private key', { p: 'AQAB' }],
    ['an exponent of a private key', { dp: 'AQAB' }],
    ['further primes of a private key', { oth: [] }],
    ['a private part', { d: 'AQAB' }],
    ['a secret', { k: 'AQAB' }],
  ])('whose key has %s is refused, and leaves the code unused', async (_what, members) => {
    const { giveCode, post, now } = await openServer()
    const code = await giveCode()
    const { kid: _kid, ...publicJwk } = key.publicJwk
    const jwk = { ...publicJwk, ...Object(members) }
    const dpop = await proofOf(key, { at: now(), header: { jwk } })
    const refused = await post('/token', code, { dpop })
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_dpop_proof' } })
    expect((await post('/token', code)).status).toBe(200)
  })

  test.each<[string, Record<string, string>]>([
    ['an exponent as long as its modulus', { e: 'f'.repeat(340) }],
    ['an exponent of more than 32 bits', { e: 'AQAAAAE' }],
    ['a modulus of more than 4096 bits', { n: 'f'.repeat(686) }],
  ])('of RSA with %s is refused before its signature is verified', async (_what, members) => {
    const { giveCode, post, now } = await openServer()
    const rsa = await createSigner('RS256')
    const dpop = await proofOf(rsa, { at: now(), header: { jwk: { ...rsa.publicJwk, ...members } } })
    expect(await post('/token', await giveCode('spa'), { dpop })).toMatchObject({
      status: 400,
      body: { error: 'invalid_dpop_proof', error_description: 'The DPoP proof is invalid: key.' },
    })
  })

  test('a refused proof grants no token and leaves the code unused', async () => {
    const { giveCode, post, now } = await openServer()
    const code = await giveCode()
    const used = await proofOf(key, { at: now() })
    await post('/token', await giveCode(), { dpop: used })
    const proofs = [
      used,
      await proofOf(key, { at: now(), url: `${issuer}/userinfo` }),
      await proofOf(key, { at: now(), method: 'GET' }),
      await proofOf(await createSigner('ES384'), { at: now() }),
      'garbage',
    ]
    for (const dpop of proofs) {
      const refused = await post('/token', code, { dpop })
      expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_dpop_proof' } })
    }
    expect((await post('/token', code, { dpop: await proofOf(key, { at: now() }) })).status).toBe(200)
  })

  test('of the same key is needed for a code that is bound to a key', async () => {
    const { giveCode, post, now } = await openServer()
    const code = await giveCode('spa', { keyBinding: key.thumbprint })
    expect((await post('/token', code)).body.error).toBe('invalid_dpop_proof')
    const foreign = await proofOf(other, { at: now() })
    expect((await post('/token', code, { dpop: foreign })).body.error).toBe('invalid_dpop_proof')
    expect((await post('/token', code, { dpop: await proofOf(key, { at: now() }) })).status).toBe(200)
  })
})

describe('a refresh token that is bound to a key', () => {
  test('is refused without a proof and with another key, and stays as it was', async () => {
    const { given, refresh, prove, stored } = await openBound()
    const before = await stored()
    for (const form of [{}, { scope: 'everything' }]) {
      expect((await refresh(given.refresh_token, form)).body.error).toBe('invalid_grant')
      const dpop = await prove({}, other)
      expect((await refresh(given.refresh_token, form, { dpop })).body.error).toBe('invalid_grant')
    }
    expect(await stored()).toEqual(before)
    expect((await refresh(given.refresh_token, {}, { dpop: await prove() })).status).toBe(200)
  })

  test('a bound refresh token returns the same successor until the successor is used, and later revokes all', async () => {
    const { given, refresh, prove, advance, present } = await openBound()
    const refreshBy = async (token = '') => (await refresh(token, {}, { dpop: await prove() })).body
    const first = await refreshBy(given.refresh_token)
    advance(3600)
    const again = await refreshBy(given.refresh_token)
    expect(again.refresh_token).toBe(first.refresh_token)
    const newest = await refreshBy(first.refresh_token)
    const status = async () => {
      const dpop = await prove({ ...userinfo, token: newest.access_token })
      return (await present(newest.access_token, 'DPoP', { dpop })).status
    }
    expect(await status()).toBe(200)
    expect((await refreshBy(given.refresh_token)).error).toBe('invalid_grant')
    expect((await refreshBy(newest.refresh_token)).error).toBe('invalid_grant')
    expect(await status()).toBe(401)
  })

  test('returns an access token that is bound to the same key', async () => {
    const { given, refresh, prove } = await openBound()
    const { body } = await refresh(given.refresh_token, {}, { dpop: await prove() })
    expect(claimsOf(body.access_token).cnf).toEqual({ jkt: key.thumbprint })
  })
})
