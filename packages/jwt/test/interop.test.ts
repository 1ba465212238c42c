import { createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createJwtSigner, createJwtVerifier, createKeyRing, importJwtKey, type JwtAlgorithm } from '@latchkey/jwt'
import { createSigner, createVerifier } from 'fast-jwt'
import { jwtVerify, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { audience, claims, issuer, seconds, secret } from './forge-token.ts'

const pair = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
}

interface Party {
  readonly algorithm: JwtAlgorithm
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}
const pairs = Object.entries(pair).map(
  ([algorithm, keys]): Party => ({ algorithm: algorithm as JwtAlgorithm, ...keys }),
)
const parties: readonly Party[] = [
  { algorithm: 'HS256', privateKey: createSecretKey(secret), publicKey: createSecretKey(secret) },
  ...pairs,
]
const pem = (key: KeyObject) =>
  key.type === 'secret' ? key.export() : key.export({ type: key.type === 'public' ? 'spki' : 'pkcs8', format: 'pem' })

async function createOurs({ algorithm, privateKey }: Party) {
  const key =
    algorithm === 'HS256'
      ? await importJwtKey({ id: 'key', algorithm, bytes: secret })
      : await importJwtKey({
          id: 'key',
          algorithm: algorithm as Exclude<JwtAlgorithm, 'HS256'>,
          jwk: privateKey.export({ format: 'jwk' }),
        })
  const common = { issuer, audience, keys: createKeyRing({ keys: [key] }) }
  return {
    signer: createJwtSigner(common),
    verifier: createJwtVerifier({ ...common, algorithms: [algorithm], now: () => seconds * 1000 }),
  }
}

describe.each(parties)('interoperability with $algorithm', (party) => {
  const { algorithm, privateKey, publicKey } = party

  test('jose verifies what is signed here', async () => {
    const { token } = await (await createOurs(party)).signer.sign({ sub: 'acc_1', role: 'AUTHOR' })
    const { payload } = await jwtVerify(token, publicKey, { issuer, audience, typ: 'JWT', algorithms: [algorithm] })
    expect(payload).toMatchObject({ sub: 'acc_1', role: 'AUTHOR' })
  })

  test('a token signed by jose is verified here', async () => {
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: 'key' })
      .sign(privateKey)
    expect(await (await createOurs(party)).verifier.verify(token)).toEqual({ ok: true, claims })
  })

  test('fast-jwt verifies what is signed here', async () => {
    const { token } = await (await createOurs(party)).signer.sign({ sub: 'acc_1', role: 'AUTHOR' })
    const options = { algorithms: [algorithm], allowedIss: issuer, allowedAud: audience, checkTyp: 'JWT' }
    const verify = createVerifier({ ...options, key: pem(publicKey) })
    expect(verify(token)).toMatchObject({ sub: 'acc_1', role: 'AUTHOR' })
  })

  test('a token signed by fast-jwt is verified here', async () => {
    const sign = createSigner({ algorithm, key: pem(privateKey), kid: 'key' })
    expect(await (await createOurs(party)).verifier.verify(sign(claims))).toEqual({ ok: true, claims })
  })
})
