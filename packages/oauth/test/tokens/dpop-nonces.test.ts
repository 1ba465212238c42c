import { createMemoryRecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Answer, issuer, openServer } from './open-server.ts'
import { createSigner, type ProofParts, proofOf } from './signer.ts'

const key = await createSigner('ES256')
const other = await createSigner('ES256')
const hour = 3_600_000
const skews = [
  ['a minute and a second behind', -61_000],
  ['a minute and a second ahead', 61_000],
  ['an hour behind', -hour],
  ['an hour ahead', hour],
] as const

const nonceOf = ({ headers }: Answer): string => headers.get('dpop-nonce') ?? ''

/** A server, the proofs of a client whose clock is wrong, and a nonce that it was given. */
async function openSkewed(skew: number = hour, open: Parameters<typeof openServer>[0] = {}) {
  const opened = await openServer(open)
  const prove = (parts: Partial<ProofParts> = {}, by = key) => proofOf(by, { at: opened.now() + skew, ...parts })
  const askNonce = async () => nonceOf(await opened.refresh('none', {}, { dpop: await prove() }))
  const refuse = async (dpop: string) => {
    const code = await opened.giveCode()
    const before = await opened.stored()
    const refused = await opened.post('/token', code, { dpop })
    expect(await opened.stored()).toEqual(before)
    return refused
  }
  return { ...opened, prove, askNonce, refuse }
}

describe('a client with a wrong clock', () => {
  test.each(skews)(
    'a client with a clock %s gets a nonce at /token, and with it tokens for the same code',
    async (_what, skew) => {
      const { giveCode, post, prove } = await openSkewed(skew)
      const code = await giveCode()
      const refused = await post('/token', code, { dpop: await prove() })
      expect([refused.status, refused.body.error]).toEqual([400, 'use_dpop_nonce'])
      expect(nonceOf(refused)).toMatch(/^[\x21\x23-\x5b\x5d-\x7e]+$/)
      const given = await post('/token', code, { dpop: await prove({ claims: { nonce: nonceOf(refused) } }) })
      expect([given.status, given.body.token_type, nonceOf(given)]).toEqual([200, 'DPoP', ''])
    },
  )

  test.each(skews)('a client with a clock %s gets a nonce at a resource, and with it the data', async (_what, skew) => {
    const { signIn, present, prove, askNonce, stored } = await openSkewed(skew)
    const first = { claims: { nonce: await askNonce() } }
    const { access_token: token } = await signIn('spa', {}, { dpop: await prove(first) })
    const place = { method: 'GET', url: `${issuer}/userinfo`, token }
    const before = await stored()
    const refused = await present(token, 'DPoP', { dpop: await prove(place) })
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      'DPoP error="use_dpop_nonce", algs="ES256 EdDSA RS256 PS256"',
    ])
    expect(await stored()).toEqual(before)
    const dpop = await prove({ ...place, claims: { nonce: nonceOf(refused) } })
    expect((await present(token, 'DPoP', { dpop })).status).toBe(200)
  })

  test('gets a nonce at /par, and with it the checks of its request', async () => {
    const { post, prove } = await openSkewed()
    const url = `${issuer}/par`
    const refused = await post('/par', { client_id: 'spa' }, { dpop: await prove({ url }) })
    expect([refused.status, refused.body.error]).toEqual([400, 'use_dpop_nonce'])
    const dpop = await prove({ url, claims: { nonce: nonceOf(refused) } })
    // What is wrong with the request itself is said next.
    expect((await post('/par', { client_id: 'spa' }, { dpop })).body.error).toBe('invalid_request')
  })

  test('may use one nonce for many proofs, by another key too, for five minutes', async () => {
    const { signIn, prove, askNonce, advance } = await openSkewed()
    const nonce = await askNonce()
    for (const seconds of [0, 299, 1]) {
      advance(seconds)
      const given = await signIn('spa', {}, { dpop: await prove({ claims: { nonce } }, other) })
      expect(given.token_type).toBe('DPoP')
    }
  })

  test('may use a nonce of an earlier secret, and gets new nonces of the current secret', async () => {
    const old = { id: 'old', bytes: new Uint8Array(32).fill(1) }
    const fresh = { id: 'fresh', bytes: new Uint8Array(32).fill(2) }
    const earlier = await openSkewed(hour, { options: { secrets: [old] } })
    const later = await openSkewed(hour, { options: { secrets: [fresh, old] } })
    const nonce = await earlier.askNonce()
    expect((await later.signIn('spa', {}, { dpop: await later.prove({ claims: { nonce } }) })).token_type).toBe('DPoP')
    expect(await later.askNonce()).not.toBe(nonce)
  })
})

test('a client with the right time needs no nonce', async () => {
  const { giveCode, post, prove } = await openSkewed(0)
  const given = await post('/token', await giveCode(), { dpop: await prove() })
  expect([given.status, nonceOf(given)]).toEqual([200, ''])
})

describe('a nonce is refused and replaced', () => {
  const service = { options: { secrets: [{ id: 'other', bytes: new Uint8Array(32).fill(9) }] as const } }
  test.each<[string, (nonce: string) => unknown | Promise<unknown>]>([
    ['of another service', async () => (await openSkewed(hour, service)).askNonce()],
    ['with its last character cut', (nonce) => nonce.slice(0, -1)],
    ['without its code', (nonce) => nonce.split('.')[0]],
    ['with the code of another second', (nonce) => `${Number(nonce.split('.')[0]) + 1}.${nonce.split('.')[1]}`],
    ['with a sign before its time', (nonce) => `+${nonce}`],
    ['with a zero before its time', (nonce) => `0${nonce}`],
    ['with a space', (nonce) => `${nonce} `],
    ['twice in one', (nonce) => `${nonce}, ${nonce}`],
    ['in a list', (nonce) => [nonce]],
    ['that is a number', (nonce) => Number(nonce.split('.')[0])],
    ['that is null', () => null],
    ['that is empty', () => ''],
    ['of four thousand digits', () => '1'.repeat(4000)],
  ])('%s, also with a right clock', async (_what, change) => {
    for (const skew of [hour, 0]) {
      const { prove, refuse } = await openSkewed(skew)
      const given = await (await openSkewed()).askNonce()
      const refused = await refuse(await prove({ claims: { nonce: await change(given) } }))
      expect([refused.status, refused.body.error]).toEqual([400, 'use_dpop_nonce'])
      expect(nonceOf(refused)).toBe(given)
    }
  })

  test('after five minutes and a second, also with a right clock', async () => {
    for (const skew of [hour, 0]) {
      const { prove, refuse, advance } = await openSkewed(skew)
      const nonce = await (await openSkewed()).askNonce()
      advance(301)
      const refused = await refuse(await prove({ claims: { nonce } }))
      expect([refused.status, refused.body.error]).toEqual([400, 'use_dpop_nonce'])
    }
  })

  test('a nonce from the future is refused and replaced', async () => {
    const ahead = await openSkewed()
    ahead.advance(6)
    const nonce = await ahead.askNonce()
    const { prove, refuse } = await openSkewed()
    expect((await refuse(await prove({ claims: { nonce } }))).body.error).toBe('use_dpop_nonce')
  })
})

describe('a nonce replaces only the time of a proof', () => {
  test.each<[string, Partial<ProofParts>]>([
    ['for another method', { method: 'GET' }],
    ['for another path', { url: `${issuer}/revoke` }],
    ['of another type', { header: { typ: 'JWT' } }],
    ['without an id', { claims: { jti: undefined } }],
    ['without a time', { claims: { iat: undefined } }],
  ])('a proof %s is refused with and without a nonce, and gets no nonce', async (_what, parts) => {
    const { prove, askNonce, refuse } = await openSkewed()
    const nonce = await askNonce()
    for (const claims of [{}, { nonce }]) {
      const refused = await refuse(await prove({ ...parts, claims: { ...parts.claims, ...claims } }))
      expect([refused.status, refused.body.error, nonceOf(refused)]).toEqual([400, 'invalid_dpop_proof', ''])
    }
  })

  test('two proofs in one header are refused although they have a nonce', async () => {
    const { prove, askNonce, refuse } = await openSkewed()
    const claims = { nonce: await askNonce() }
    const refused = await refuse(`${await prove({ claims })}, ${await prove({ claims })}`)
    expect([refused.status, refused.body.error, nonceOf(refused)]).toEqual([400, 'invalid_dpop_proof', ''])
  })

  test('a proof for another token, or by another key, is refused although it has a nonce', async () => {
    const { signIn, present, prove, askNonce } = await openSkewed()
    const claims = { nonce: await askNonce() }
    const { access_token: token } = await signIn('spa', {}, { dpop: await prove({ claims }) })
    const place = { method: 'GET', url: `${issuer}/userinfo`, token, claims }
    for (const dpop of [await prove({ ...place, token: 'another' }), await prove(place, other)]) {
      const refused = await present(token, 'DPoP', { dpop })
      expect([refused.status, nonceOf(refused)]).toEqual([401, ''])
      expect(refused.headers.get('www-authenticate')).toContain('DPoP error="invalid_dpop_proof"')
    }
    expect((await present(token, 'DPoP', { dpop: await prove(place) })).status).toBe(200)
  })
})

describe('a proof with a nonce', () => {
  test.each(skews)(
    'a proof with a nonce and a clock %s works once: at once, while the nonce is valid, and at its own time',
    async (_w, skew) => {
      const { giveCode, post, prove, askNonce, advance, now } = await openSkewed(skew)
      const dpop = await prove({ claims: { nonce: await askNonce() } })
      const proofTime = now() + skew
      expect((await post('/token', await giveCode(), { dpop })).status).toBe(200)
      const replay = async () => (await post('/token', await giveCode(), { dpop })).body.error
      expect(await replay()).toBe('invalid_dpop_proof')
      advance(300)
      expect(await replay()).toBe('invalid_dpop_proof')
      advance(2)
      expect(await replay()).toBe('use_dpop_nonce')
      // At the latest its `iat` is that of now.
      advance(Math.max(0, proofTime - now()) / 1000)
      expect(await replay()).toBe('use_dpop_nonce')
    },
  )

  test('works once while its nonce is valid, also if the clock of the store is five seconds ahead', async () => {
    const records = (now: () => number) => createMemoryRecordStore({ now: () => now() + 5000 })
    const { giveCode, post, prove, askNonce, advance } = await openSkewed(hour, { records })
    const dpop = await prove({ claims: { nonce: await askNonce() } })
    expect((await post('/token', await giveCode(), { dpop })).status).toBe(200)
    advance(300)
    expect((await post('/token', await giveCode(), { dpop })).body.error).toBe('invalid_dpop_proof')
  })

  test('works for one of fifty concurrent requests', async () => {
    const { signIn, present, prove, askNonce } = await openSkewed()
    const claims = { nonce: await askNonce() }
    const { access_token: token } = await signIn('spa', {}, { dpop: await prove({ claims }) })
    const dpop = await prove({ method: 'GET', url: `${issuer}/userinfo`, token, claims })
    const answers = await Promise.all(Array.from({ length: 50 }, () => present(token, 'DPoP', { dpop })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  })
})
