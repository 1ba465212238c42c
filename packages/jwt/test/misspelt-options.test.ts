import { randomBytes } from '@latchkey/bytes'
import {
  createJwtSigner,
  createJwtVerifier,
  createKeyRing,
  createRemoteKeySet,
  generateJwtKey,
  openKeyRing,
} from '@latchkey/jwt'
import { createMemoryDocumentStore } from '@latchkey/store'
import { expect, test } from 'vitest'

const key = await generateJwtKey('ES256')
const keys = createKeyRing({ keys: [key] })
const both = { issuer: 'https://id.example.com', audience: 'https://api.example.com', keys }
const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const

test.each([
  [
    'createJwtVerifier has no option "denylist". Did you mean "denyList"?',
    { denylist: { isDenied: async () => true } },
  ],
  ['createJwtVerifier has no option "maxLifetime". Did you mean "maxLifetimeSeconds"?', { maxLifetime: 3600 }],
  ['"denyList" must have "isDenied"', { denyList: async () => true }],
  ['"denyList" must have "isDenied"', { denyList: null }],
])('no verifier is created with a wrong option: %s', (message, wrong) => {
  const create = () => createJwtVerifier({ ...both, algorithms: ['ES256'], ...wrong } as never)
  expect(create).toThrow(TypeError)
  expect(create).toThrow(message)
})

test('no signer is created with a wrong option', () => {
  const create = () => createJwtSigner({ ...both, expiresIn: '15m' } as never)
  expect(create).toThrow(TypeError)
  expect(create).toThrow('createJwtSigner has no option "expiresIn", only "issuer"')
  expect(() => createJwtSigner(undefined as never)).toThrow('createJwtSigner takes an object')
})

test.each<[message: string, create: () => unknown]>([
  [
    'createKeyRing has no option "maxLifetime". Did you mean "maxLifetimeSeconds"?',
    () => createKeyRing({ keys: [key], maxLifetime: 60 } as never),
  ],
  [
    'createKeyRing has no option "algorithm", only "keys"',
    () => createKeyRing({ keys: [key], algorithm: 'ES256' } as never),
  ],
  ['createKeyRing takes an object with "keys", "maxLifetimeSeconds", "now"', () => createKeyRing(undefined as never)],
  [
    'createRemoteKeySet has no option "timeout". Did you mean "timeoutMs"?',
    () => createRemoteKeySet({ url: 'https://id.example.com/jwks', timeout: 60 } as never),
  ],
  [
    'createRemoteKeySet has no option "uri". Did you mean "url"?',
    () => createRemoteKeySet({ uri: 'https://id.example.com/jwks' } as never),
  ],
  ['createRemoteKeySet takes an object with "url", "cooldownSeconds"', () => createRemoteKeySet(undefined as never)],
])('no key set is created: %s', (message, create) => {
  expect(create).toThrow(TypeError)
  expect(create).toThrow(message)
})

test.each([
  ['openKeyRing has no option "cooldown". Did you mean "cooldownSeconds"?', { cooldown: 5 }],
  ['openKeyRing has no option "algorithms". Did you mean "algorithm"?', { algorithms: ['ES256'] }],
  ['openKeyRing has no option "ttlSeconds"', { ttlSeconds: 60 }],
])('no key ring is opened, and no key is stored: %s', async (message, wrong) => {
  const documents = createMemoryDocumentStore()
  const opening = openKeyRing({ documents, secrets, algorithm: 'ES256', ...wrong } as never)
  await expect(opening).rejects.toThrow(TypeError)
  await expect(opening).rejects.toThrow(message)
  expect((await documents.list('signing-key')).items).toEqual([])
})

test('openKeyRing called without options names the options that it takes', async () => {
  const opening = openKeyRing(undefined as never)
  await expect(opening).rejects.toThrow(
    'openKeyRing takes an object with "documents", "secrets", "algorithm", "purpose"',
  )
})
