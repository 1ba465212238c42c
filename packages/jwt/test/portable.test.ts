import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { audience, claims, forge, issuer, now, secret } from './forge-token.ts'

type Module = typeof import('@latchkey/jwt')
let jwt: Module
const { getBuiltinModule } = process

beforeAll(async () => {
  vi.resetModules()
  Object.assign(process, { getBuiltinModule: undefined })
  jwt = await import('@latchkey/jwt')
})
afterAll(() => {
  Object.assign(process, { getBuiltinModule })
})

describe('a runtime without the API of Node.js', () => {
  const create = async () => {
    const keys = jwt.createKeyRing({
      keys: [await jwt.importJwtKey({ id: 'hmac', algorithm: 'HS256', bytes: secret })],
    })
    const common = { issuer, audience, keys, now }
    return {
      signer: jwt.createJwtSigner(common),
      verifier: jwt.createJwtVerifier({ ...common, algorithms: ['HS256'] }),
    }
  }

  test('has the same verdicts on HS256', async () => {
    const { signer, verifier } = await create()
    expect(await verifier.verify(forge())).toEqual({ ok: true, claims })
    expect(await verifier.verify(forge())).toEqual({ ok: true, claims })
    expect(await verifier.verify(forge(undefined, undefined, new Uint8Array(32)))).toEqual({
      ok: false,
      reason: 'signature',
    })
    expect(await verifier.verify(`${forge()}AAAA`)).toEqual({ ok: false, reason: 'signature' })
    expect((await verifier.verify((await signer.sign({ sub: 'acc_1' })).token)).ok).toBe(true)
  })

  test('keeps a copy of a secret, which a later change of the bytes does not affect', async () => {
    const bytes = secret.slice()
    const keys = jwt.createKeyRing({ keys: [await jwt.importJwtKey({ id: 'hmac', algorithm: 'HS256', bytes })] })
    bytes.fill(0)
    const verifier = jwt.createJwtVerifier({ issuer, audience, algorithms: ['HS256'], keys, now })
    expect((await verifier.verify(forge())).ok).toBe(true)
  })

  test.each(['ES256', 'EdDSA', 'RS256'] as const)('signs with %s, and keeps what it signs with', async (algorithm) => {
    const keys = jwt.createKeyRing({ keys: [await jwt.generateJwtKey(algorithm)] })
    const { token } = await jwt.createJwtSigner({ issuer, audience, keys, now }).sign({ sub: 'acc_1' })
    const verifier = jwt.createJwtVerifier({ issuer, audience, algorithms: [algorithm], keys, now })
    expect(await verifier.verify(token)).toMatchObject({ ok: true })
  })

  test('signs tokens that Node.js verifies', async () => {
    const { token } = await (await create()).signer.sign({ sub: 'acc_1' })
    Object.assign(process, { getBuiltinModule })
    vi.resetModules()
    const native: Module = await import('@latchkey/jwt')
    const keys = native.createKeyRing({
      keys: [await native.importJwtKey({ id: 'hmac', algorithm: 'HS256', bytes: secret })],
    })
    const verifier = native.createJwtVerifier({ issuer, audience, algorithms: ['HS256'], keys, now })
    expect((await verifier.verify(token)).ok).toBe(true)
  })
})

describe('a runtime with a part of the API of Node.js', () => {
  const crypto: typeof import('node:crypto') = getBuiltinModule('node:crypto')
  const { createPrivateKey } = crypto
  const missing = () => {
    throw new Error('not implemented')
  }
  const der = (bytes: readonly number[]) => () => Uint8Array.from(bytes)
  const numbers = [0x02, 1, 5, 0x02, 1, 6]

  test.each([
    ['does not know', { createPrivateKey: missing, sign: missing }],
    ['does not sign with', { createPrivateKey, sign: missing }],
    ['writes something else with', { createPrivateKey, sign: der([1, 2, 3]) }],
    ['writes nothing with', { createPrivateKey, sign: der([]) }],
    ['writes both numbers as they are with', { createPrivateKey, sign: () => new Uint8Array(64).fill(2) }],
    ['writes another length with', { createPrivateKey, sign: der([0x30, 7, ...numbers]) }],
    ['writes another type with', { createPrivateKey, sign: der([0x31, 6, ...numbers]) }],
    ['writes more than a signature with', { createPrivateKey, sign: der([0x30, 6, ...numbers, 0]) }],
    ['writes a number that does not end with', { createPrivateKey, sign: der([0x30, 6, 0x02, 1, 5, 0x02, 9, 6]) }],
    ['writes no number with', { createPrivateKey, sign: der([0x30, 6, 0x02, 1, 5, 0x03, 1, 6]) }],
  ])('signs by Web Crypto if it %s a key on a curve', async (_what, other) => {
    vi.resetModules()
    const known = (id: string) => (id === 'node:crypto' ? { ...crypto, ...other } : getBuiltinModule(id as never))
    Object.assign(process, { getBuiltinModule: known })
    const partly: Module = await import('@latchkey/jwt')
    const keys = partly.createKeyRing({ keys: [await partly.generateJwtKey('ES256')] })
    const { token } = await partly.createJwtSigner({ issuer, audience, keys, now }).sign({ sub: 'acc_1' })
    const verifier = partly.createJwtVerifier({ issuer, audience, algorithms: ['ES256'], keys, now })
    expect(await verifier.verify(token)).toMatchObject({ ok: true })
  })
})
