import type { Accounts } from '@latchkey/accounts'
import { encodeBase64url, sha256 } from '@latchkey/bytes'
import { describe, expect, test } from 'vitest'
import {
  accountOf,
  type Bench,
  countHashes,
  createBench,
  email,
  invalidCredentials,
  invalidLink,
  newPassword,
  password,
} from './bench.ts'
import { delay } from './stores/test-stores.ts'

const planted = 'the stranger has chosen this'
const tokenOf = (url: string | null | undefined) => new URL(url ?? '').searchParams.get('token') ?? ''

interface SignedUp {
  readonly token: string
  readonly browserSecret: string
}

async function signUpWith(bench: Bench, chosen: string, name: string): Promise<SignedUp> {
  const { browserSecret } = await bench.accounts.signUp({ email, password: chosen, name })
  return { token: await bench.mailedToken(), browserSecret }
}

/** What a stranger and then the owner of the address have asked for. */
async function signUpTwice(bench: Bench): Promise<readonly [stranger: SignedUp, owner: SignedUp]> {
  return [await signUpWith(bench, planted, 'A Stranger'), await signUpWith(bench, password, 'A Reader')]
}

const signInWith = (bench: Bench, chosen: string) =>
  bench.accounts.signIn({ email, password: chosen, delivery: 'session' })

/** Follows the link of the latest mail to a new password, and signs in with it. */
async function choosePassword(bench: Bench): Promise<void> {
  const token = await bench.mailedToken()
  expect(bench.outbox.at(-1)).toMatchObject({ to: email, subject: 'Choose a password' })
  await accountOf(bench.accounts.resetPassword({ token, newPassword }))
  expect(await signInWith(bench, newPassword)).toMatchObject({ ok: true, status: 'signed-in' })
}

describe('the password of a sign-up', () => {
  test('the password of a stranger does not open the account after the victim verifies the address', async () => {
    const bench = createBench()
    const { token } = await signUpWith(bench, planted, 'A Stranger')
    const verified = await bench.accounts.verifyEmail({ token })
    expect(verified).toMatchObject({ ok: true, hasPassword: false })
    expect(await signInWith(bench, planted)).toEqual(invalidCredentials)
    expect((await bench.store.getByEmail(email))?.passwordHash).toBeNull()
    await choosePassword(bench)
    expect(await signInWith(bench, planted)).toEqual(invalidCredentials)
  })

  const ways: [
    string,
    (signedUp: SignedUp) => Omit<Parameters<Accounts['verifyEmail']>[0], 'token' | 'attempt'>,
    hashes: number,
  ][] = [
    ['is typed again', () => ({ password }), 1],
    ['is confirmed by the browser that signed up', ({ browserSecret }) => ({ browserSecret }), 0],
    [
      'is confirmed by that browser with a mistyped password',
      ({ browserSecret }) => ({ browserSecret, password: 'x' }),
      0,
    ],
  ]
  test.each(ways)('counts when it %s', async (_what, showing, expected) => {
    const bench = createBench()
    const signedUp = await signUpWith(bench, password, 'A Reader')
    const hashes = await countHashes(async () => {
      const verified = await bench.accounts.verifyEmail({ token: signedUp.token, ...showing(signedUp) })
      expect(verified).toMatchObject({ ok: true, hasPassword: true })
    })
    expect(hashes).toBe(expected)
    await bench.accounts.settled()
    expect(bench.outbox).toHaveLength(1)
    expect(await signInWith(bench, password)).toMatchObject({ ok: true, status: 'signed-in' })
  })

  const others: [string, Omit<Parameters<Accounts['verifyEmail']>[0], 'token' | 'attempt'>][] = [
    ['nothing', {}],
    ['null', { password: null, browserSecret: null }],
    ['another password', { password: newPassword }],
    ['an empty password', { password: '' }],
    ['a password with a NUL', { password: `${password}\0` }],
    ['a password with a lone surrogate', { password: `${password}\ud800` }],
    ['a huge password', { password: 'x'.repeat(100_000) }],
    ['a password that is no text', { password: [password] as unknown as string }],
    ['an empty secret', { browserSecret: '' }],
    ['the secret of another browser', { browserSecret: 'A'.repeat(43) }],
    ['a secret that is no text', { browserSecret: {} as unknown as string }],
  ]
  test.each(others)(
    'the password does not count with %s, and a mail lets the owner choose another',
    async (_what, shown) => {
      const bench = createBench()
      const { token } = await signUpWith(bench, password, 'A Reader')
      expect(await bench.accounts.verifyEmail({ token, ...shown })).toMatchObject({ ok: true, hasPassword: false })
      expect(await signInWith(bench, password)).toEqual(invalidCredentials)
      await choosePassword(bench)
    },
  )

  test('the password counts for its own sign-up only, and not for another browser or password', async () => {
    for (const show of [
      (_stranger: SignedUp, owner: SignedUp) => ({ browserSecret: owner.browserSecret }),
      () => ({ password }),
    ]) {
      const bench = createBench()
      const [stranger, owner] = await signUpTwice(bench)
      const account = await accountOf(bench.accounts.verifyEmail({ token: stranger.token, ...show(stranger, owner) }))
      expect((await bench.store.get(account.id))?.passwordHash).toBeNull()
      await choosePassword(bench)
    }
  })

  test('counts for an owner who follows the own link, even if others signed up, and the other links become invalid', async () => {
    const bench = createBench()
    const [stranger, owner] = await signUpTwice(bench)
    const verified = await bench.accounts.verifyEmail(owner)
    expect(verified).toMatchObject({ ok: true, hasPassword: true, account: { name: 'A Reader' } })
    expect(await bench.accounts.verifyEmail(stranger)).toEqual(invalidLink)
    expect(await signInWith(bench, planted)).toEqual(invalidCredentials)
    expect(await signInWith(bench, password)).toMatchObject({ ok: true })
    expect((await bench.records.listByOwner(`pending_${encodeBase64url(sha256(email))}`)).items).toEqual([])
  })

  test('counts for both links of a browser that signed up twice', async () => {
    const bench = createBench()
    const first = await signUpWith(bench, password, 'A Reader')
    const input = { email, password: newPassword, name: 'A Reader', browserSecret: first.browserSecret }
    const again = await bench.accounts.signUp(input)
    expect(again.browserSecret).toBe(first.browserSecret)
    await bench.accounts.settled()
    expect(await bench.accounts.verifyEmail(first)).toMatchObject({ ok: true, hasPassword: true })
  })

  test.each(['', 'short', 'A'.repeat(44), '\0'.repeat(43), null, [['A'.repeat(43)]] as never])(
    'the sign-up gets a new secret if the browser presents %j',
    async (browserSecret) => {
      const { accounts } = createBench()
      const drawn = await accounts.signUp({ email, password, name: 'A Reader', browserSecret })
      expect(drawn.browserSecret).toMatch(/^[\w-]{43}$/)
      expect(drawn.browserSecret).not.toBe(browserSecret)
    },
  )

  test('is bound to a secret that no store holds', async () => {
    const bench = createBench()
    const { browserSecret } = await signUpWith(bench, password, 'A Reader')
    const { items } = await bench.records.listByOwner(`pending_${encodeBase64url(sha256(email))}`)
    expect(items).toHaveLength(1)
    expect(JSON.stringify(items)).not.toContain(browserSecret)
  })

  test('the password of an imported, unverified account is invalid as well', async () => {
    const bench = createBench()
    const { id } = await bench.insert({ status: 'unverified', epoch: 4 })
    const { token } = await signUpWith(bench, planted, 'A Stranger')
    expect((await accountOf(bench.accounts.verifyEmail({ token }))).id).toBe(id)
    expect(await bench.store.get(id)).toMatchObject({ status: 'active', passwordHash: null, epoch: 5 })
    await choosePassword(bench)
  })

  test('parallel uses of the link create one account and send one mail', async () => {
    const bench = createBench({ aroundRecords: delay, aroundAccounts: delay })
    const { token } = await signUpWith(bench, password, 'A Reader')
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => bench.accounts.verifyEmail({ token })))
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
    await bench.accounts.settled()
    expect(bench.outbox).toHaveLength(2)
    await choosePassword(bench)
  })
})

test('the mails after the first sign-up mention the other request', async () => {
  const bench = createBench()
  await signUpTwice(bench)
  expect(bench.outbox.map(({ text }) => text.includes('another request'))).toEqual([false, true])
})

test('sign-ups of other addresses are not affected', async () => {
  const bench = createBench()
  await bench.accounts.signUp({ email: 'other@example.com', password: planted, name: 'Another' })
  const token = await bench.mailedToken()
  const [, owner] = await signUpTwice(bench)
  await accountOf(bench.accounts.verifyEmail(owner))
  await accountOf(bench.accounts.verifyEmail({ token, password: planted }))
  expect(await bench.signIn({ email: 'other@example.com', password: planted })).toMatchObject({ status: 'signed-in' })
})

test('of parallel sign-ups one link opens the account, without a password', async () => {
  for (let round = 0; round < 20; round++) {
    const bench = createBench({ aroundRecords: delay, aroundAccounts: delay })
    const chosen = [planted, password, newPassword]
    await Promise.all(chosen.map((each) => bench.accounts.signUp({ email, password: each, name: 'A Reader' })))
    await bench.accounts.settled()
    const outcomes: Awaited<ReturnType<Accounts['verifyEmail']>>[] = []
    for (const { url } of [...bench.outbox]) outcomes.push(await bench.accounts.verifyEmail({ token: tokenOf(url) }))
    expect(outcomes).toHaveLength(3)
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
    for (const each of chosen) expect(await signInWith(bench, each)).toEqual(invalidCredentials)
  }
})

test('a store that fails at the link for the password leaves the link of the sign-up usable', async () => {
  let isDown = false
  const bench = createBench({
    aroundRecords: async (method, run) => {
      if (isDown && method === 'insert') throw new Error('down')
      return run()
    },
  })
  const { token } = await signUpWith(bench, password, 'A Reader')
  isDown = true
  await expect(bench.accounts.verifyEmail({ token })).rejects.toThrow('down')
  expect((await bench.accounts.list()).items).toEqual([])
  isDown = false
  expect((await accountOf(bench.accounts.verifyEmail({ token, password }))).email).toBe(email)
  expect(await signInWith(bench, password)).toMatchObject({ ok: true })
})

test('a page can say which address and name are about to be confirmed, and whether the password is needed', async () => {
  const bench = createBench()
  const { token, browserSecret } = await signUpWith(bench, password, 'A Reader')
  const check = (more: object) => bench.accounts.checkLink({ purpose: 'verify-email', token, ...more })
  const signUp = { email, name: 'A Reader', keepsPassword: false }
  expect(await check({})).toEqual({ ok: true, signUp })
  expect(await check({ browserSecret: 'A'.repeat(43) })).toEqual({ ok: true, signUp })
  expect(await check({ browserSecret })).toEqual({ ok: true, signUp: { ...signUp, keepsPassword: true } })
})
