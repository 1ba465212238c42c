import { createJwtSigner, createJwtVerifier, createKeyRing, generateJwtKey } from '@latchkey/jwt'
import { expect, test } from 'vitest'

const keys = createKeyRing({ keys: [await generateJwtKey('ES256')] })
const both = { issuer: 'https://id.example.com', audience: 'https://api.example.com', keys }

test.each([
  ['createJwtVerifier has no option "denylist"', { denylist: { isDenied: async () => true } }],
  ['createJwtVerifier has no option "maxLifetime"', { maxLifetime: 3600 }],
  ['"denyList" must have "isDenied"', { denyList: async () => true }],
  ['"denyList" must have "isDenied"', { denyList: null }],
])('no verifier is made with a wrong option: %s', (message, wrong) => {
  const make = () => createJwtVerifier({ ...both, algorithms: ['ES256'], ...wrong } as never)
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
})

test('no signer is made with a wrong option', () => {
  const make = () => createJwtSigner({ ...both, expiresIn: '15m' } as never)
  expect(make).toThrow(TypeError)
  expect(make).toThrow('createJwtSigner has no option "expiresIn", only "issuer"')
  expect(() => createJwtSigner(undefined as never)).toThrow('createJwtSigner takes an object')
})
