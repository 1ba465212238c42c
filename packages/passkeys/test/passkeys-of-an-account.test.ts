import { createSoftwareAuthenticator } from '@latchkey/passkeys/testing'
import { expect, test } from 'vitest'
import { ada, bob, createBench, origin, registered, start } from './passkeys-bench.ts'

test('an account has several passkeys, each with its name, the oldest first', async () => {
  const { passkeys, clock } = createBench()
  for (const name of ['Phone', 'Laptop', 'Key']) {
    const { options } = await passkeys.startRegistration(ada)
    const response = await createSoftwareAuthenticator({ origin }).create(options)
    expect((await passkeys.finishRegistration(ada.id, response, { name })).ok).toBe(true)
    clock.now += 1000
  }
  expect((await passkeys.list(ada.id)).map(({ name, createdAt }) => [name, createdAt])).toEqual([
    ['Phone', start],
    ['Laptop', start + 1000],
    ['Key', start + 2000],
  ])
  expect(await passkeys.list(bob.id)).toEqual([])
})

test('a passkey is removed by its own account, once', async () => {
  const bench = createBench()
  const { id } = await registered(bench)
  expect(await bench.passkeys.remove(bob.id, id)).toBe(false)
  expect(await bench.passkeys.list(ada.id)).toHaveLength(1)
  expect(await bench.passkeys.remove(ada.id, id)).toBe(true)
  expect(await bench.passkeys.remove(ada.id, id)).toBe(false)
  expect(await bench.passkeys.list(ada.id)).toEqual([])
})

test('a passkey is renamed by its own account', async () => {
  const bench = createBench()
  const { id } = await registered(bench)
  const { passkeys } = bench
  expect(await passkeys.rename(bob.id, id, 'Mine')).toEqual({ ok: false, reason: 'unknown-passkey' })
  expect(await passkeys.rename(ada.id, 'unknown', 'Mine')).toEqual({ ok: false, reason: 'unknown-passkey' })
  expect(await passkeys.rename(ada.id, id, '')).toEqual({ ok: false, reason: 'name' })
  expect(await passkeys.list(ada.id)).toMatchObject([{ name: 'Phone' }])
  expect(await passkeys.rename(ada.id, id, 'Tablet')).toMatchObject({ ok: true, passkey: { id, name: 'Tablet' } })
  expect(await passkeys.list(ada.id)).toMatchObject([{ name: 'Tablet' }])
  expect((await bench.signIn()).ok).toBe(true)
})

const allowedFor = async (bench: ReturnType<typeof createBench>, accountId: string | null, accountName: string) =>
  (await bench.passkeys.startSignIn({ accountId, accountName })).options.allowCredentials

test('a name without passkeys gets a decoy that looks like a passkey and stays the same', async () => {
  const bench = createBench()
  await registered(bench)
  const [real] = (await allowedFor(bench, ada.id, ada.name))!
  const unknown = await allowedFor(bench, null, 'nicht@example.com')
  expect(unknown).toEqual([
    { id: expect.stringMatching(/^[\w-]{22,86}$/), type: 'public-key', transports: ['hybrid', 'internal'] },
  ])
  expect(Object.keys(unknown![0]!)).toEqual(Object.keys(real!))
  expect(await allowedFor(createBench(), null, 'nicht@example.com')).toEqual(unknown)
  expect(await allowedFor(bench, null, 'another@example.com')).not.toEqual(unknown)
  expect(await allowedFor(bench, bob.id, 'nicht@example.com')).toEqual(unknown)
})

test('a name with passkeys gets them and no decoy', async () => {
  const bench = createBench()
  await registered(bench)
  const stored = JSON.parse((await bench.documents.listByOwner(ada.id)).items[0]!.value)
  expect(await allowedFor(bench, ada.id, ada.name)).toMatchObject([{ id: stored.credentialId }])
})

test('decoys have the lengths of real credential ids', async () => {
  const bench = createBench()
  const lengths = new Set<number>()
  for (let count = 0; count < 100; count++) {
    const [decoy] = (await allowedFor(bench, null, `visitor-${count}@example.com`))!
    lengths.add(Buffer.from(decoy!.id, 'base64url').length)
  }
  expect([...lengths].toSorted((one, other) => one - other)).toEqual([16, 20, 32, 64])
})

test('a sign-in for an unknown name is refused for every passkey', async () => {
  const bench = createBench()
  await registered(bench)
  const { options } = await bench.passkeys.startSignIn({ accountName: 'nicht@example.com' })
  const response = await bench.authenticator.get(options, { ignoresLists: true })
  expect(await bench.passkeys.finishSignIn(response)).toEqual({ ok: false, reason: 'account' })
})

test('a passkey that cannot be read is in no list, and others of its account are listed and sign in', async () => {
  const bench = createBench()
  const broken = await registered(bench)
  const { options: creation } = await bench.passkeys.startRegistration(ada)
  const response = await createSoftwareAuthenticator({ origin }).create(creation)
  const other = await bench.passkeys.finishRegistration(ada.id, response, { name: 'Other' })
  const stored = await bench.documents.get('factor-passkey', broken.id)
  const broke = (value: string) => bench.documents.replace(stored!, { version: stored!.version, value })
  await broke('{')
  expect(await bench.passkeys.list(ada.id)).toMatchObject([other.ok && { id: other.passkey.id }])
  const { options } = await bench.passkeys.startSignIn({ accountId: ada.id })
  expect(options.allowCredentials).toHaveLength(1)
  expect(await bench.passkeys.remove(ada.id, broken.id)).toBe(true)
})

test('listing passkeys rejects if a newer release has written one of them', async () => {
  const bench = createBench()
  const { id } = await registered(bench)
  const stored = await bench.documents.get('factor-passkey', id)
  await bench.documents.replace(stored!, { version: 'newer', value: '{"v":99}' })
  await expect(bench.passkeys.list(ada.id)).rejects.toMatchObject({ code: 'STORE_DATA_NEWER' })
})
