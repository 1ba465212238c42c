import { sha256 } from '@latchkey/bytes'
import { createSoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { expect, test } from 'vitest'
import { ada, type Bench, bob, type CeremonyDefects, createBench, origin, registered, start } from './passkeys-bench.ts'

const algorithms = ['ES256', 'RS256', 'EdDSA'] as const
const attestations = ['none', 'packed'] as const
const all = algorithms.flatMap((algorithm) => attestations.map((attestation) => ({ algorithm, attestation })))

test.each(all)('a passkey of $algorithm with attestation $attestation is registered and signs in', async (device) => {
  const bench = createBench({}, device)
  const passkey = await registered(bench)
  expect(passkey).toEqual({
    id: expect.stringMatching(/^[\w-]{43}$/),
    kind: 'passkey',
    name: 'Phone',
    createdAt: start,
    lastUsedAt: null,
    backedUp: true,
    category: 'know+have',
  })
  bench.clock.now += 1000
  expect(await bench.signIn()).toEqual({
    ok: true,
    accountId: ada.id,
    passkey: { ...passkey, lastUsedAt: start + 1000 },
    proof: { kind: 'passkey', at: start + 1000, category: 'know+have' },
  })
})

test('the options request a discoverable passkey with user verification, without attestation', async () => {
  const { passkeys } = createBench()
  const { challenge, options } = await passkeys.startRegistration(ada)
  expect(options).toMatchObject({
    challenge,
    rp: { id: 'example.com', name: 'Example' },
    user: { name: ada.name, displayName: 'Ada' },
    pubKeyCredParams: [-7, -8, -257].map((alg) => ({ alg, type: 'public-key' })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
    excludeCredentials: [],
    extensions: { credProps: true },
    timeout: 300_000,
  })
  expect(Buffer.from(challenge, 'base64url')).toHaveLength(32)
})

test('the handle of an account is stable, differs between accounts, and does not contain the id', async () => {
  const { passkeys } = createBench()
  const handleOf = async (account: typeof ada) => (await passkeys.startRegistration(account)).options.user.id
  const handle = await handleOf(ada)
  expect(Buffer.from(handle, 'base64url')).toHaveLength(32)
  expect(await handleOf({ ...ada, name: 'countess@example.com' })).toBe(handle)
  expect(await handleOf(bob)).not.toBe(handle)
  expect(handle).not.toBe(Buffer.from(sha256(ada.id)).toString('base64url'))
})

test('an account that has a passkey keeps its handle under other secrets', async () => {
  const bench = createBench()
  const { user } = (await bench.passkeys.startRegistration(ada)).options
  await registered(bench)
  const secrets = [{ id: '2027-01', bytes: new Uint8Array(32).fill(9) }] as const
  const later = createBench({ documents: bench.documents, secrets })
  expect((await later.passkeys.startRegistration(ada)).options.user.id).toBe(user.id)
  expect((await later.passkeys.startRegistration(bob)).options.user.id).not.toBe(user.id)
})

test('the passkeys that an account has are excluded', async () => {
  const bench = createBench()
  await registered(bench)
  const { options } = await bench.passkeys.startRegistration(ada)
  expect(options.excludeCredentials).toEqual([
    { id: expect.any(String), type: 'public-key', transports: ['internal', 'hybrid'].toSorted() },
  ])
  await expect(bench.authenticator.create(options)).rejects.toMatchObject({ name: 'InvalidStateError' })
})

const ec = (alg: number, length = 32) =>
  new Map<number, number | Uint8Array>([
    [1, 2],
    [3, alg],
    [-1, 1],
    [-2, new Uint8Array(length).fill(1)],
    [-3, new Uint8Array(length).fill(2)],
  ])
const rsa = (bytes: number, exponent: readonly number[]) =>
  new Map<number, number | Uint8Array>([
    [1, 3],
    [3, -257],
    [-1, new Uint8Array(bytes).fill(255)],
    [-2, Uint8Array.from(exponent)],
  ])

const defects: [reason: string, what: string, defects: CeremonyDefects][] = [
  ['origin', 'another origin', { origin: 'https://example.org' }],
  ['origin', 'a subdomain that is not listed', { origin: 'https://evil.example.com' }],
  ['origin', 'another port', { origin: 'https://example.com:8443' }],
  ['relying-party', 'another relying party', { rpId: 'example.org' }],
  ['challenge', 'another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
  ['challenge', 'an empty challenge', { challenge: '' }],
  ['ceremony', 'the type of a sign-in', { type: 'webauthn.get' }],
  ['cross-origin', 'an embedded page', { crossOrigin: true }],
  ['cross-origin', 'a page on top', { topOrigin: 'https://example.org' }],
  ['user-presence', 'no user', { userPresent: false }],
  ['user-verification', 'no user verification', { userVerified: false }],
  ['backup', 'a backup of what has none', { backupEligible: false, backedUp: true }],
  ['credential-id', 'an id that is not the raw id', { rawId: 'AAAA' }],
  ['credential-id', 'an id that was not attested', { attestedId: new Uint8Array(32) }],
  ['credential-id', 'a longer id than the attested one', { attestedId: new Uint8Array(31) }],
  ['credential-id', 'an id of 1024 bytes', { credentialId: new Uint8Array(1024).fill(5) }],
  ['algorithm', 'an algorithm that was not offered', { publicKey: ec(-35) }],
  ['algorithm', 'a number of another kind of key', { publicKey: ec(-8) }],
  ['algorithm', 'a point that is not on the curve', { publicKey: ec(-7) }],
  ['algorithm', 'coordinates of another length', { publicKey: ec(-7, 33) }],
  ['algorithm', 'an RSA key of 1024 bits', { publicKey: rsa(128, [1, 0, 1]) }],
  ['algorithm', 'an RSA key with the exponent 3', { publicKey: rsa(256, [3]) }],
  ['algorithm', 'an RSA key of 16384 bits', { publicKey: rsa(2048, [1, 0, 1]) }],
  ['attestation', 'a statement without a form', { attestation: { format: 'none', statement: new Map([['alg', -7]]) } }],
  ['attestation', 'an attestation of a TPM', { attestation: { format: 'tpm', statement: new Map() } }],
  ['attestation', 'an unknown form', { attestation: { format: 'own', statement: new Map() } }],
  [
    'attestation',
    'a statement with certificates',
    { attestation: { format: 'packed', statement: new Map([['x5c', new Uint8Array()]]) } },
  ],
]

test.each(defects)('a registration is refused as %s: %s', async (reason, _what, defect) => {
  const bench = createBench()
  expect(await bench.register(defect)).toEqual({ ok: false, reason })
  expect(await bench.stored()).toEqual([[], []])
})

test('a registration is refused as attestation if the attestation signs other data', async () => {
  const bench = createBench({}, { attestation: 'packed' })
  expect(await bench.register({ isForged: true })).toEqual({ ok: false, reason: 'attestation' })
  expect(await bench.stored()).toEqual([[], []])
})

test('only algorithms that were offered are registered', async () => {
  const bench = createBench({ algorithms: ['EdDSA'] }, { algorithm: 'ES256' })
  expect(await bench.register()).toEqual({ ok: false, reason: 'algorithm' })
  const chosen = createBench({ algorithms: ['EdDSA'] })
  expect((await chosen.passkeys.startRegistration(ada)).options.pubKeyCredParams).toEqual([
    { alg: -8, type: 'public-key' },
  ])
  expect((await chosen.register()).ok).toBe(true)
})

test('a credential id may have 1023 bytes', async () => {
  const bench = createBench()
  expect((await bench.register({ credentialId: new Uint8Array(1023).fill(5) })).ok).toBe(true)
})

test('a passkey is registered once, for the same account and for other accounts', async () => {
  const bench = createBench()
  await registered(bench)
  const before = await bench.stored()
  const [mine] = (await bench.documents.listByOwner(ada.id)).items
  const credentialId = Buffer.from(JSON.parse(mine!.value).credentialId, 'base64url')
  for (const account of [ada, bob]) {
    const { options } = await bench.passkeys.startRegistration(account)
    const response = await bench.authenticator.create(options, { credentialId, ignoresLists: true })
    const verdict = await bench.passkeys.finishRegistration(account.id, response, { name: 'Copy' })
    expect(verdict).toEqual({ ok: false, reason: 'already-registered' })
  }
  expect(await bench.stored()).toEqual(before)
})

test.each([
  ['', false],
  ['   ', false],
  ['a'.repeat(65), false],
  ['🔑'.repeat(64), true],
  [' Phone ', true],
  ['two\nlines', false],
  ['\u202ereversed', false],
  ['\ud800', false],
  [7 as unknown as string, false],
])('whether %j is a name of a passkey: %s', async (name, isName) => {
  const { passkeys, authenticator, stored } = createBench()
  const { options } = await passkeys.startRegistration(ada)
  const response = await authenticator.create(options)
  const verdict = await passkeys.finishRegistration(ada.id, response, { name })
  if (isName) return expect(verdict).toMatchObject({ ok: true, passkey: { name: name.trim() } })
  expect(verdict).toEqual({ ok: false, reason: 'name' })
  expect(await stored()).toEqual([[], []])
  expect((await passkeys.finishRegistration(ada.id, response, { name: 'Phone' })).ok).toBe(true)
})

test('no passkey is registered if the activation is refused or fails', async () => {
  const { passkeys, stored } = createBench()
  const finish = async (beforeActivation: () => Promise<boolean>) => {
    const { options } = await passkeys.startRegistration(ada)
    const response = await createSoftwareAuthenticator({ origin }).create(options)
    return passkeys.finishRegistration(ada.id, response, { name: 'Phone', beforeActivation })
  }
  expect(await finish(async () => false)).toEqual({ ok: false, reason: 'not-activated' })
  await expect(finish(() => Promise.reject(new Error('the database is down')))).rejects.toThrow('database')
  expect(await stored()).toEqual([[], []])
  const seen: unknown[] = []
  const verdict = await finish(async () => {
    seen.push(await stored())
    return true
  })
  expect(verdict.ok).toBe(true)
  expect(seen).toEqual([[[], []]])
})

/** Returns what a device answers for an account, and a `finish` for it. */
async function begin({ passkeys }: Pick<Bench, 'passkeys'>, account = ada, defects: CeremonyDefects = {}) {
  const { options } = await passkeys.startRegistration(account)
  const response = await createSoftwareAuthenticator({ origin }).create(options, defects)
  return (beforeActivation = async () => true) =>
    passkeys.finishRegistration(account.id, response, { name: 'Phone', beforeActivation })
}

/** Resolves for all callers when the last of so many has called. */
function createBarrier(callers: number): () => Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let called = 0
  return () => {
    if (++called === callers) resolve(true)
    return promise
  }
}

test('an account has 20 passkeys at most, and a further one is refused before its activation', async () => {
  const bench = createBench()
  for (let count = 0; count < 20; count++) expect((await (await begin(bench))()).ok).toBe(true)
  const finish = await begin(bench)
  let activations = 0
  expect(await finish(async () => ++activations > 0)).toEqual({ ok: false, reason: 'limit' })
  expect(activations).toBe(0)
  expect(await bench.passkeys.list(ada.id)).toHaveLength(20)
})

test('an account has 20 passkeys at most, also when the last ones are registered at once', async () => {
  const bench = createBench()
  for (let count = 0; count < 19; count++) expect((await (await begin(bench))()).ok).toBe(true)
  const finishes = await Promise.all([begin(bench), begin(bench), begin(bench)])
  const barrier = createBarrier(3)
  const verdicts = await Promise.all(finishes.map((finish) => finish(barrier)))
  const won = verdicts.filter(({ ok }) => ok).length
  expect(won).toBeLessThanOrEqual(1)
  expect(await bench.passkeys.list(ada.id)).toHaveLength(19 + won)
})

test('a credential that two accounts register at once belongs to one of them', async () => {
  const bench = createBench()
  const credentialId = new Uint8Array(32).fill(3)
  const finishes = await Promise.all([ada, bob].map((account) => begin(bench, account, { credentialId })))
  const barrier = createBarrier(2)
  const verdicts = await Promise.all(finishes.map((finish) => finish(barrier)))
  expect(verdicts.filter(({ ok }) => ok)).toHaveLength(1)
  expect(verdicts).toContainEqual({ ok: false, reason: 'already-registered' })
  expect(((await bench.stored()) as unknown[][]).flat()).toHaveLength(1)
})

test('a passkey that is registered already is refused before its activation', async () => {
  const bench = createBench()
  const credentialId = new Uint8Array(32).fill(3)
  expect((await (await begin(bench, ada, { credentialId }))()).ok).toBe(true)
  let activations = 0
  const finish = await begin(bench, bob, { credentialId })
  expect(await finish(async () => ++activations > 0)).toEqual({ ok: false, reason: 'already-registered' })
  expect(activations).toBe(0)
})

test('without a policy for user verification, the category of the proof records it', async () => {
  const bench = createBench({ userVerification: 'preferred' })
  expect(await bench.register({ userVerified: false })).toMatchObject({
    ok: true,
    passkey: { category: 'have' },
    proof: { category: 'have' },
  })
  expect(await bench.signIn()).toMatchObject({ ok: true, proof: { category: 'know+have' } })
  expect(await bench.signIn({ userVerified: false })).toMatchObject({ ok: true, proof: { category: 'have' } })
})
