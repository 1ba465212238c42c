import { createSoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { expect, test } from 'vitest'
import { ada, bob, type CeremonyDefects, createBench, origin, registered } from './passkeys-bench.ts'

const forged: [reason: string, what: string, defects: CeremonyDefects][] = [
  ['origin', 'another origin', { origin: 'https://example.org' }],
  ['relying-party', 'another relying party', { rpId: 'example.org' }],
  ['challenge', 'another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
  ['ceremony', 'the type of a registration', { type: 'webauthn.create' }],
  ['cross-origin', 'an embedded page', { crossOrigin: true }],
  ['cross-origin', 'a page on top', { topOrigin: 'https://example.org' }],
  ['user-presence', 'no user', { userPresent: false }],
  ['user-verification', 'no user verification', { userVerified: false }],
  ['backup', 'a backup of what has none', { backupEligible: false }],
  ['backup', 'a passkey that can no longer be kept elsewhere', { backupEligible: false, backedUp: false }],
  ['credential-id', 'an id that is not the raw id', { rawId: 'AAAA' }],
  ['credential-id', 'an id of 1024 bytes', { credentialId: new Uint8Array(1024) }],
  ['unknown-passkey', 'an id that was never registered', { credentialId: new Uint8Array(32) }],
  ['signature', 'a signature of something else', { isForged: true }],
  ['user-handle', 'no handle', { userHandle: null }],
  ['user-handle', 'an empty handle', { userHandle: '' }],
  ['user-handle', 'the handle of another account', { userHandle: 'AAAA' }],
]

test.each(forged)('a sign-in is refused as %s: %s', async (reason, _what, defects) => {
  const bench = createBench()
  await registered(bench)
  const before = await bench.stored()
  expect(await bench.signIn(defects)).toEqual({ ok: false, reason })
  expect(await bench.stored()).toEqual(before)
})

test.each([0, 1, 8, 40, -1])('a signature with a flipped bit in byte %s is refused', async (at) => {
  const bench = createBench()
  await registered(bench)
  const before = await bench.stored()
  const { options } = await bench.passkeys.startSignIn()
  const response = await bench.authenticator.get(options)
  const signature = Buffer.from(response.response.signature, 'base64url')
  const index = at < 0 ? signature.length + at : at
  signature[index] = signature[index]! ^ 1
  const changed = { ...response, response: { ...response.response, signature: signature.toString('base64url') } }
  expect(await bench.passkeys.finishSignIn(changed)).toEqual({ ok: false, reason: 'signature' })
  expect(await bench.stored()).toEqual(before)
})

const lengthened = (der: Buffer, more: number) => Buffer.concat([der.subarray(0, 1), Buffer.from([der[1]! + more])])

test.each<[what: string, encode: (der: Buffer) => Buffer]>([
  ['a byte after its end', (der) => Buffer.concat([der, Buffer.from([0])])],
  ['a byte after its numbers', (der) => Buffer.concat([lengthened(der, 1), der.subarray(2), Buffer.from([0])])],
  ['a length of two bytes', (der) => Buffer.concat([Buffer.from([0x30, 0x81, der[1]!]), der.subarray(2)])],
  ['an unlimited length', (der) => Buffer.concat([Buffer.from([0x30, 0x80]), der.subarray(2), Buffer.alloc(2)])],
  [
    'a number with a zero before it',
    (der) => Buffer.concat([lengthened(der, 1), Buffer.from([2, der[3]! + 1, 0]), der.subarray(4)]),
  ],
  ['no numbers', () => Buffer.from([0x30, 0])],
  ['nothing', () => Buffer.alloc(0)],
])('a signature of ES256 in another encoding is refused: %s', async (_what, encode) => {
  const bench = createBench({}, { algorithm: 'ES256' })
  await registered(bench)
  const { options } = await bench.passkeys.startSignIn()
  const response = await bench.authenticator.get(options)
  const signature = encode(Buffer.from(response.response.signature, 'base64url')).toString('base64url')
  const changed = { ...response, response: { ...response.response, signature } }
  expect(await bench.passkeys.finishSignIn(changed)).toEqual({ ok: false, reason: 'signature' })
})

test('the options allow any passkey of the site', async () => {
  const { passkeys } = createBench()
  const { challenge, options } = await passkeys.startSignIn()
  expect(options).toMatchObject({ challenge, rpId: 'example.com', userVerification: 'required', timeout: 300_000 })
  expect(options.allowCredentials).toEqual([])
})

test.each([
  ['without a handle', null],
  ['with an empty handle', ''],
])('the options for one account allow its passkeys only, which are accepted %s', async (_what, userHandle) => {
  const bench = createBench()
  const { passkeys, authenticator } = bench
  await registered(bench)
  const { options } = await passkeys.startSignIn({ accountId: ada.id })
  expect(options.allowCredentials).toHaveLength(1)
  const response = await authenticator.get(options, { userHandle })
  expect(await passkeys.finishSignIn(response)).toMatchObject({ ok: true, accountId: ada.id })
})

test('a passkey of another account is refused if the sign-in is for one account', async () => {
  const bench = createBench()
  const { passkeys, authenticator } = bench
  await registered(bench)
  const before = await bench.stored()
  for (const accountId of [bob.id, '']) {
    const { options } = await passkeys.startSignIn({ accountId })
    const response = await authenticator.get(options, { ignoresLists: true })
    expect(await passkeys.finishSignIn(response)).toEqual({ ok: false, reason: 'account' })
  }
  expect(await bench.stored()).toEqual(before)
})

test('a counter that goes back or stays is refused and kept, and a higher one is accepted', async () => {
  const bench = createBench({}, { counter: 10 })
  const { id } = await registered(bench)
  expect((await bench.signIn()).ok).toBe(true) // 11
  const before = await bench.stored()
  for (const counter of [0, 1, 10, 11]) {
    const verdict = await bench.signIn({ counter })
    expect(verdict).toEqual({ ok: false, reason: 'counter', accountId: ada.id, passkeyId: id })
  }
  expect(await bench.stored()).toEqual(before)
  expect((await bench.signIn({ counter: 0xffff_fffe })).ok).toBe(true)
  expect(await bench.signIn({ counter: 100 })).toMatchObject({ reason: 'counter' })
})

test('the counter is checked after the signature, so that a stranger cannot trigger a warning', async () => {
  const bench = createBench({}, { counter: 10 })
  await registered(bench)
  expect(await bench.signIn({ counter: 1, isForged: true })).toEqual({ ok: false, reason: 'signature' })
})

test('whether a passkey is backed up follows its last use', async () => {
  const bench = createBench()
  await registered(bench)
  expect(await bench.signIn({ backedUp: false })).toMatchObject({ ok: true, passkey: { backedUp: false } })
  expect(await bench.passkeys.list(ada.id)).toMatchObject([{ backedUp: false }])
})

test('a removed passkey cannot sign in, even with a ceremony that was started before', async () => {
  const bench = createBench()
  const { id } = await registered(bench)
  const { options } = await bench.passkeys.startSignIn()
  const response = await bench.authenticator.get(options)
  expect(await bench.passkeys.remove(ada.id, id)).toBe(true)
  expect(await bench.passkeys.finishSignIn(response)).toEqual({ ok: false, reason: 'unknown-passkey' })
})

test('a passkey of another site is not offered', async () => {
  const { passkeys } = createBench()
  const elsewhere = createSoftwareAuthenticator({ origin })
  const { options } = await passkeys.startSignIn()
  await expect(elsewhere.get(options)).rejects.toMatchObject({ name: 'NotAllowedError' })
})

test('a factor of another kind is no passkey', async () => {
  const bench = createBench()
  const { id } = await registered(bench)
  const [mine] = (await bench.documents.listByOwner(ada.id)).items
  await bench.documents.remove({ collection: 'factor-passkey', id })
  await bench.documents.insert({ ...mine!, collection: 'factor-totp' })
  expect(await bench.signIn()).toEqual({ ok: false, reason: 'unknown-passkey' })
  expect(await bench.passkeys.list(ada.id)).toEqual([])
  expect(await bench.passkeys.remove(ada.id, id)).toBe(false)
})

test('a store that fails is no verdict', async () => {
  const bench = createBench()
  await registered(bench)
  const { options } = await bench.passkeys.startSignIn()
  const response = await bench.authenticator.get(options)
  const outage = () => Promise.reject(new Error('the database is down'))
  const broken = createBench({ records: bench.records, documents: { ...bench.documents, get: outage } })
  await expect(broken.passkeys.finishSignIn(response)).rejects.toThrow('the database is down')
})
