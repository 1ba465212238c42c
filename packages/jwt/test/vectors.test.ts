import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { createJwtSigner, createJwtVerifier, createKeyRing, importJwtKey } from '@latchkey/jwt'
import { describe, expect, test } from 'vitest'
import { audience, claims, encode, issuer, now } from './forge-token.ts'

const payload = 'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ'

describe('the token of RFC 7515 A.1', async () => {
  const secret = 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow'
  const bytes = Buffer.from(secret, 'base64url')
  const keys = createKeyRing({ keys: [await importJwtKey({ id: 'A.1', algorithm: 'HS256', bytes })] })
  const verifier = createJwtVerifier({ issuer: 'joe', audience, algorithms: ['HS256'], keys })
  const signingInput = `eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.${payload}`
  const signature = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'

  test('has a valid signature: it is refused only for its missing claims', async () => {
    expect(await verifier.verify(`${signingInput}.${signature}`)).toEqual({ ok: false, reason: 'claims' })
  })

  test('has no valid signature with any other bit', async () => {
    for (let bit = 0; bit < 256; bit++) {
      const altered = Buffer.from(signature, 'base64url')
      altered[bit >> 3]! ^= 1 << (bit & 7)
      const token = `${signingInput}.${altered.toString('base64url')}`
      expect(await verifier.verify(token)).toEqual({ ok: false, reason: 'signature' })
    }
  })
})

// RFC 7515 A.3 and RFC 8037 A.1: the tokens there have no typ, so their keys sign one that has.
const ec = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI',
}
const ed = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
}
const withSignatures = [
  [
    'RFC 7515 A.3',
    'ES256',
    ec,
    `eyJhbGciOiJFUzI1NiJ9.${payload}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q`,
  ],
  [
    'RFC 8037 A.4',
    'EdDSA',
    ed,
    'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
  ],
] as const

describe.each(withSignatures)('the key of %s', (_source, algorithm, jwk, published) => {
  const digest = algorithm === 'ES256' ? 'sha256' : null
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' })
  const publicKey = createPublicKey(privateKey)
  const isGood = (token: string) => {
    const [signingInput, signature] = [token.slice(0, token.lastIndexOf('.')), token.slice(token.lastIndexOf('.') + 1)]
    const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
    return verify(digest, Buffer.from(signingInput), key, Buffer.from(signature, 'base64url'))
  }
  const create = async () => createKeyRing({ keys: [await importJwtKey({ id: 'key', algorithm, jwk })] })

  test('is the published one', async () => {
    const { d: _d, ...open } = jwk
    expect((await (await create()).jwks()).keys).toEqual([{ ...open, kid: 'key', alg: algorithm, use: 'sig' }])
    expect(isGood(published)).toBe(true)
  })

  test('signs here what Node.js verifies', async () => {
    const { token } = await createJwtSigner({ issuer, audience, keys: await create(), now }).sign({ sub: 'acc_1' })
    expect(isGood(token)).toBe(true)
  })

  test('verifies here what Node.js signs', async () => {
    const signingInput = `${encode({ alg: algorithm, typ: 'JWT', kid: 'key' })}.${encode(claims)}`
    const key = { key: privateKey, dsaEncoding: 'ieee-p1363' } as const
    const token = `${signingInput}.${sign(digest, Buffer.from(signingInput), key).toString('base64url')}`
    const verifier = createJwtVerifier({ issuer, audience, algorithms: [algorithm], keys: await create(), now })
    expect(await verifier.verify(token)).toEqual({ ok: true, claims })
    expect(await verifier.verify(published)).toEqual({ ok: false, reason: 'type' })
  })
})
