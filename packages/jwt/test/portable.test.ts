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

  test('keeps a copy of a secret: changing the bytes afterwards changes nothing', async () => {
    const bytes = secret.slice()
    const keys = jwt.createKeyRing({ keys: [await jwt.importJwtKey({ id: 'hmac', algorithm: 'HS256', bytes })] })
    bytes.fill(0)
    const verifier = jwt.createJwtVerifier({ issuer, audience, algorithms: ['HS256'], keys, now })
    expect((await verifier.verify(forge())).ok).toBe(true)
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
