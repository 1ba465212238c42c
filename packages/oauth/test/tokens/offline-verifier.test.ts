import { randomBytes } from '@latchkey/bytes'
import { createAccessTokenVerifier } from '@latchkey/oauth'
import { createMemoryRecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { claimsOf, issuer, openServer, otherResource } from './open-server.ts'
import { createSigner, proofOf } from './signer.ts'

const key = await createSigner('ES256')
const origin = 'https://api.example.com'

/** Another service that verifies the tokens of the server by its public keys alone. */
async function openApi(more: object = {}) {
  const opened = await openServer()
  const { keys, now } = opened
  const records = createMemoryRecordStore({ now })
  const options = { issuer, resource: otherResource, origin, keys: { find: keys.find }, algorithms: ['ES256'] as const }
  const verifier = createAccessTokenVerifier({ ...options, records, now, ...more })
  const agreed = { resources: [otherResource] }
  const ask = (authorization: string | null, dpop: string | null = null) =>
    verifier.verify({
      method: 'POST',
      target: '/orders?page=1',
      headers: new Map([
        ...(authorization === null ? [] : ([['authorization', authorization]] as const)),
        ...(dpop === null ? [] : ([['dpop', dpop]] as const)),
      ]),
    })
  return { ...opened, agreed, ask, options: { ...options, records } }
}

describe('an API that has the public keys only', () => {
  test('an API with the public keys accepts a token for itself and reads its account and scopes', async () => {
    const { signIn, agreed, ask, now } = await openApi()
    const { access_token } = await signIn('spa', agreed)
    expect(await ask(`Bearer ${access_token}`)).toMatchObject({
      ok: true,
      token: {
        subject: 'acc_1',
        clientId: 'spa',
        scopes: ['openid', 'offline_access', 'articles:read'],
        audience: otherResource,
        familyKey: claimsOf(access_token).sid,
        keyBinding: null,
        expiresAt: now() + 900_000,
      },
    })
  })

  test('accepts a token of client_credentials, which belongs to no account', async () => {
    const { post, ask } = await openApi()
    const form = { grant_type: 'client_credentials', client_id: 'machine', client_secret: 'machine-secret' }
    const { body } = await post('/token', { ...form, resource: otherResource })
    expect(await ask(`Bearer ${body.access_token}`)).toMatchObject({
      ok: true,
      token: { subject: 'machine', clientId: 'machine', familyKey: null },
    })
  })

  test('an API with the public keys refuses a token for another resource, an id token, an expired token, and other text', async () => {
    const { signIn, agreed, ask, advance } = await openApi()
    const foreign = await signIn('spa')
    const given = await signIn('spa', agreed)
    for (const token of [foreign.access_token, given.id_token, given.refresh_token, 'abc']) {
      expect(await ask(`Bearer ${token}`)).toMatchObject({ ok: false, reason: 'token' })
    }
    expect(await ask(null)).toMatchObject({ ok: false, reason: 'missing' })
    expect(await ask('Basic YTpi')).toMatchObject({ ok: false, reason: 'malformed' })
    advance(905)
    expect(await ask(`Bearer ${given.access_token}`)).toMatchObject({ ok: false, reason: 'token' })
  })

  test('an API with secrets gives a nonce to a client with a wrong clock, and without secrets refuses the client', async () => {
    const { signIn, agreed, ask, now, options } = await openApi({ secrets: [{ id: 'a', bytes: randomBytes(32) }] })
    const { access_token } = await signIn('spa', agreed, { dpop: await proofOf(key, { at: now() }) })
    const parts = { at: now() - 3_600_000, url: `${origin}/orders`, token: access_token }
    const refused = await ask(`DPoP ${access_token}`, await proofOf(key, parts))
    const algorithms = 'algs="ES256 EdDSA RS256 PS256"'
    const challenges = [`DPoP error="use_dpop_nonce", ${algorithms}`]
    expect(refused).toEqual({ ok: false, reason: 'nonce', challenges, nonce: expect.any(String) })
    const nonce = refused.ok ? null : refused.nonce
    const dpop = await proofOf(key, { ...parts, claims: { nonce } })
    expect((await ask(`DPoP ${access_token}`, dpop)).ok).toBe(true)
    const headers = new Map([['authorization', `DPoP ${access_token}`]]).set('dpop', await proofOf(key, parts))
    const without = createAccessTokenVerifier({ ...options, now })
    const request = { method: 'POST', target: '/orders', headers }
    expect(await without.verify(request)).toMatchObject({ ok: false, reason: 'proof', nonce: null })
  })

  test('accepts a bound token only with a proof of its key, made for this request, once', async () => {
    const { signIn, agreed, ask, now } = await openApi()
    const { access_token } = await signIn('spa', agreed, { dpop: await proofOf(key, { at: now() }) })
    const parts = { at: now(), url: `${origin}/orders`, token: access_token }
    const proof = await proofOf(key, parts)
    const misplaced = await proofOf(key, { ...parts, url: `${issuer}/orders` })
    expect(await ask(`Bearer ${access_token}`, proof)).toMatchObject({ ok: false, reason: 'scheme' })
    expect(await ask(`DPoP ${access_token}`)).toMatchObject({ ok: false, reason: 'proof' })
    expect(await ask(`DPoP ${access_token}`, misplaced)).toMatchObject({ ok: false, reason: 'proof' })
    expect(await ask(`DPoP ${access_token}`, proof)).toMatchObject({ ok: true, token: { keyBinding: key.thumbprint } })
    expect(await ask(`DPoP ${access_token}`, proof)).toMatchObject({ ok: false, reason: 'proof' })
  })

  test('an API can check if a token is still valid: false refuses the token, and an error is rethrown', async () => {
    const answers = [true, false]
    const isAlive = async () => {
      const answer = answers.shift()
      if (answer === undefined) throw new Error('no answer')
      return answer
    }
    const { signIn, agreed, ask } = await openApi({ isAlive })
    const { access_token } = await signIn('spa', agreed)
    expect(await ask(`Bearer ${access_token}`)).toMatchObject({ ok: true })
    expect(await ask(`Bearer ${access_token}`)).toMatchObject({ ok: false, reason: 'token' })
    await expect(ask(`Bearer ${access_token}`)).rejects.toThrow('no answer')
  })

  test.each<[string, object]>([
    ['resource', { resource: 'orders' }],
    ['origin', { origin: `${origin}/` }],
    ['origin', { origin: undefined }],
    ['records', { records: undefined }],
    ['secrets', { secrets: [] }],
    ['isAlive', { isAlive: true }],
    ['algorithms', { algorithms: [] }],
    ['keys', { keys: [] }],
    ['audience', { audience: 'misspelt' }],
  ])('a verifier is not created with an invalid option "%s"', async (name, change) => {
    const { options } = await openApi()
    expect(() => createAccessTokenVerifier({ ...options, ...change })).toThrow(`"${name}"`)
  })
})
