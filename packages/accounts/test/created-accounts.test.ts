import { allowNativeDelivery, createMemoryAccountStore } from '@latchkey/accounts'
import { describe, expect, test } from 'vitest'
import { countHashes, createBench, email, passwords } from './bench.ts'

const made = { email: 'new@example.com', password: 'nine lanterns drift along', name: 'Ada', roles: ['READER'] }

test.each([
  ['a password that is too short', { password: 'short' }, { reason: 'too-short', minimumCharacters: 15 }],
  ['its own address as a password', { password: 'new@example.com', email: 'new@example.com' }, {}],
  ['its own name as a password', { password: 'Wilhelmina Featherstone', name: 'Wilhelmina Featherstone' }, {}],
])('an account with %s is refused by the name of the input', async (_what, change, rule) => {
  const { accounts, store } = createBench()
  await expect(accounts.create({ ...made, ...change })).rejects.toMatchObject({
    name: 'AccountsError',
    code: 'PASSWORD_REJECTED',
    field: 'password',
    ...rule,
  })
  expect(await store.getByEmail(made.email)).toBeNull()
})

test('a refusal for another reason than length names no number of characters', async () => {
  const { accounts } = createBench()
  await expect(accounts.create({ ...made, password: 'password-password-password' })).rejects.toMatchObject({
    code: 'PASSWORD_REJECTED',
    minimumCharacters: null,
  })
})

test('an address that has an account costs no hash', async () => {
  const bench = createBench()
  await bench.insert()
  const hashes = await countHashes(async () => {
    expect(await bench.accounts.create({ ...made, email })).toBeNull()
  })
  expect(hashes).toBe(0)
})

test('stores that reserve no address create accounts, too', async () => {
  const { accounts } = createBench({ aroundReservations: () => null })
  expect(await accounts.create(made)).toMatchObject({ email: made.email })
})

test('roles that are no list are refused by the name of the option', async () => {
  const { accounts } = createBench()
  await expect(accounts.create({ ...made, roles: 'READER' as never })).rejects.toThrow('"roles"')
})

test.each([
  ['of 100 characters', 'é'.repeat(100), 'é'.repeat(100)],
  ['of 100 characters of two units each', '😀'.repeat(100), '😀'.repeat(100)],
  ['with space around it', `  ${'a'.repeat(100)}  `, 'a'.repeat(100)],
])('a name %s is accepted', async (_what, name, stored) => {
  const { accounts } = createBench()
  expect(await accounts.create({ ...made, name })).toMatchObject({ name: stored })
})

test.each([
  ['101 characters', 'a'.repeat(101)],
  ['more space than a name is looked at with', `${' '.repeat(400)}a`],
  ['a number', 7],
  ['nothing', undefined],
])('a name of %s is refused', async (_what, name) => {
  const { accounts } = createBench()
  await expect(accounts.create({ ...made, name: name as string })).rejects.toMatchObject({
    code: 'NAME_INVALID',
    field: 'name',
  })
})

test.each(['token', 'native'] as const)('a %s family knows the device of its sign-in', async (delivery) => {
  const bench = createBench({ options: { signIn: { nativeDelivery: allowNativeDelivery } } })
  const { id } = await bench.insert()
  const device = { userAgent: 'Firefox', address: '203.0.113.7' }
  await bench.signIn({ delivery, device })
  expect(await bench.accounts.listSessions(id)).toMatchObject([{ kind: 'refresh', device }])
  await bench.signIn({ delivery })
  expect((await bench.accounts.listSessions(id)).map((listed) => listed.device)).toContainEqual({
    userAgent: null,
    address: null,
  })
})

test('a rehash after a sign-in waits for the hashes of requests', async () => {
  const lanes: unknown[] = []
  const observed = {
    ...passwords,
    verify: async (...given: Parameters<typeof passwords.verify>) => ({
      ...(await passwords.verify(...given)),
      needsRehash: true,
    }),
    hash: (...[password, options]: Parameters<typeof passwords.hash>) => {
      lanes.push(options?.lane)
      return passwords.hash(password, options)
    },
  }
  const bench = createBench({ options: { passwordHasher: observed } })
  await bench.insert()
  await bench.signIn()
  await bench.accounts.settled()
  expect(lanes).toEqual(['idle'])
})

test.each([0, -1, Number.NaN])('a page of %d accounts of the memory store is a TypeError', async (limit) => {
  await expect(createMemoryAccountStore().list({ limit })).rejects.toThrow('"limit" must be at least 1')
})

test('the memory store of accounts reports that it is in memory', () => {
  expect(createMemoryAccountStore().isInMemory?.()).toBe(true)
})

describe('an account that begins without a password', () => {
  test('is opened by the link of its mail, which works once, and costs no hash before', async () => {
    const bench = createBench()
    const { accounts, store } = bench
    const hashes = await countHashes(async () => {
      expect(await accounts.create({ ...made, password: null })).toMatchObject({ email: made.email, status: 'active' })
    })
    expect(hashes).toBe(0)
    expect(await store.getByEmail(made.email)).toMatchObject({ passwordHash: null })
    expect(await accounts.signIn({ ...made, delivery: 'session' })).toMatchObject({ ok: false })

    await accounts.settled()
    expect(bench.outbox).toMatchObject([{ kind: 'choose-password', to: made.email }])
    const token = new URL(bench.outbox[0]?.url ?? '').searchParams.get('token') ?? ''
    expect(await accounts.resetPassword({ token, newPassword: made.password })).toMatchObject({ ok: true })
    expect(await accounts.signIn({ ...made, delivery: 'session' })).toMatchObject({ ok: true })
    expect(await accounts.resetPassword({ token, newPassword: 'another lantern drifts' })).toMatchObject({ ok: false })
  })

  test('a taken address sends no mail and writes no audit row', async () => {
    const bench = createBench()
    const before = await bench.insert()
    expect(await bench.accounts.create({ ...made, email, password: null })).toBeNull()
    await bench.accounts.settled()
    expect(bench.outbox).toEqual([])
    expect(await bench.store.get(before.id)).toEqual(before)
  })

  test('an undefined password is refused; only null creates an account without a password', async () => {
    const { accounts, store } = createBench()
    await expect(accounts.create({ ...made, password: undefined as never })).rejects.toMatchObject({
      code: 'PASSWORD_REJECTED',
      reason: 'malformed',
    })
    expect(await store.getByEmail(made.email)).toBeNull()
  })
})
