import type { VerifyEmailResult } from '@latchkey/accounts'
import { encodeBase64url, sha256 } from '@latchkey/bytes'
import { createMemoryRecordStore, type RecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import {
  accountOf,
  type Bench,
  createBench,
  email,
  invalidCredentials,
  invalidLink,
  newPassword,
  password,
} from './bench.ts'
import { createGate, delay } from './stores/test-stores.ts'

const planted = 'the stranger has chosen this'
const ownerOf = (kind: string) => `${kind}_${encodeBase64url(sha256(email))}`
const tokenOf = (url: string | null | undefined) => new URL(url ?? '').searchParams.get('token') ?? ''

/** The tokens of what a stranger and then the owner of the address have asked for. */
async function signUpTwice(bench: Bench): Promise<readonly [stranger: string, owner: string]> {
  await bench.accounts.signUp({ email, password: planted, name: 'A Stranger' })
  const stranger = await bench.mailedToken()
  await bench.accounts.signUp({ email, password, name: 'A Reader' })
  return [stranger, await bench.mailedToken()]
}

const signInWith = (bench: Bench, chosen: string) =>
  bench.accounts.signIn({ email, password: chosen, delivery: 'session' })

describe('an address that a stranger has signed up before its owner', () => {
  test('cannot be opened by the link of the stranger', async () => {
    const bench = createBench()
    const [stranger] = await signUpTwice(bench)
    expect(await bench.accounts.verifyEmail({ token: stranger })).toEqual(invalidLink)
    expect((await bench.accounts.list()).items).toEqual([])
  })

  test('opens without a password, which its owner then chooses by mail', async () => {
    const bench = createBench()
    const [, owner] = await signUpTwice(bench)
    const account = await accountOf(bench.accounts.verifyEmail({ token: owner }))
    expect(account).toMatchObject({ email, name: 'A Reader', status: 'active' })
    expect(await bench.store.get(account.id)).toMatchObject({ passwordHash: null, epoch: 0 })
    for (const chosen of [planted, password]) expect(await signInWith(bench, chosen)).toEqual(invalidCredentials)
    await bench.accounts.settled()
    expect(bench.outbox).toHaveLength(3)
    expect(bench.outbox[2]).toMatchObject({ to: email, subject: 'Choose a password' })
    await accountOf(bench.accounts.resetPassword({ token: tokenOf(bench.outbox[2]?.url), newPassword }))
    expect(await signInWith(bench, newPassword)).toMatchObject({ ok: true, status: 'signed-in' })
  })

  test('gets mails that say that it was not the first sign-up, in the order of time', async () => {
    const bench = createBench()
    await signUpTwice(bench)
    expect(bench.outbox[0]?.text).not.toContain('not the first time')
    expect(bench.outbox[1]?.text).toContain('not the first time')
  })

  test('stays without a password however many more sign up', async () => {
    const bench = createBench()
    await signUpTwice(bench)
    await bench.accounts.signUp({ email, password: planted, name: 'A Stranger' })
    const account = await accountOf(bench.accounts.verifyEmail({ token: await bench.mailedToken() }))
    expect((await bench.store.get(account.id))?.passwordHash).toBeNull()
  })

  test('keeps the link of its owner when the stranger signs up again', async () => {
    const bench = createBench()
    const [, owner] = await signUpTwice(bench)
    await bench.accounts.signUp({ email, password: planted, name: 'A Stranger' })
    const stranger = await bench.mailedToken()
    expect((await accountOf(bench.accounts.verifyEmail({ token: owner }))).name).toBe('A Reader')
    expect(await bench.accounts.verifyEmail({ token: stranger })).toEqual(invalidLink)
    const kept = await Promise.all(['pending', 'contested'].map((kind) => bench.records.listByOwner(ownerOf(kind))))
    expect(kept.map(({ items }) => items)).toEqual([[], []])
  })

  test('is found to be contested on whichever page of the store the first sign-up is', async () => {
    const inner = createMemoryRecordStore({ now: () => 1_800_000_000_000 })
    const listByOwner: RecordStore['listByOwner'] = async (owner, { cursor, ...page } = {}) =>
      cursor === undefined ? { items: [], cursor: 'next' } : inner.listByOwner(owner, page)
    const bench = createBench({ options: { records: { ...inner, listByOwner } } })
    const [stranger, owner] = await signUpTwice(bench)
    expect(await bench.accounts.verifyEmail({ token: stranger })).toEqual(invalidLink)
    const account = await accountOf(bench.accounts.verifyEmail({ token: owner }))
    expect((await bench.store.get(account.id))?.passwordHash).toBeNull()
  })

  test('is free again when the sign-up of the stranger has expired', async () => {
    const bench = createBench()
    await bench.accounts.signUp({ email, password: planted, name: 'A Stranger' })
    bench.advance(86_400)
    await bench.accounts.signUp({ email, password, name: 'A Reader' })
    await accountOf(bench.accounts.verifyEmail({ token: await bench.mailedToken() }))
    expect(await signInWith(bench, password)).toMatchObject({ ok: true, status: 'signed-in' })
  })

  test('of an imported account that was never verified gets no password either', async () => {
    const bench = createBench()
    const { id } = await bench.insert({ status: 'unverified', epoch: 4 })
    const [, owner] = await signUpTwice(bench)
    expect((await accountOf(bench.accounts.verifyEmail({ token: owner }))).id).toBe(id)
    expect(await bench.store.get(id)).toMatchObject({ status: 'active', passwordHash: null, epoch: 5 })
    const token = await bench.mailedToken()
    expect((await accountOf(bench.accounts.resetPassword({ token, newPassword }))).id).toBe(id)
  })

  test('has one account and one mail for it, however many follow the link at once', async () => {
    const bench = createBench({ aroundRecords: delay, aroundAccounts: delay })
    const [, owner] = await signUpTwice(bench)
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => bench.accounts.verifyEmail({ token: owner })))
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
    await bench.accounts.settled()
    expect(bench.outbox).toHaveLength(3)
    expect(
      (await accountOf(bench.accounts.resetPassword({ token: tokenOf(bench.outbox[2]?.url), newPassword }))).email,
    ).toBe(email)
  })
})

test('sign-ups of other addresses are not affected', async () => {
  const bench = createBench()
  await bench.accounts.signUp({ email: 'other@example.com', password: planted, name: 'Another' })
  const other = await bench.mailedToken()
  await signUpTwice(bench)
  await accountOf(bench.accounts.verifyEmail({ token: other }))
  expect(await bench.signIn({ email: 'other@example.com', password: planted })).toMatchObject({ status: 'signed-in' })
})

test('of sign-ups at the same time no password is kept, and at least one link works', async () => {
  for (let round = 0; round < 100; round++) {
    const bench = createBench({ aroundRecords: delay, aroundAccounts: delay })
    const chosen = [planted, password, newPassword]
    await Promise.all(chosen.map((each) => bench.accounts.signUp({ email, password: each, name: 'A Reader' })))
    await bench.accounts.settled()
    const outcomes: VerifyEmailResult[] = []
    for (const { url } of [...bench.outbox]) outcomes.push(await bench.accounts.verifyEmail({ token: tokenOf(url) }))
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
    for (const each of chosen) expect(await signInWith(bench, each)).toEqual(invalidCredentials)
  }
})

test('a sign-up while another one is being ended keeps no password', async () => {
  const ended = createGate()
  const goesOn = createGate()
  let gated = true
  const bench = createBench({
    aroundRecords: async (method, run) => {
      const result = await run()
      if (method === 'removeByOwner' && gated) {
        gated = false
        ended.open()
        await goesOn.passed
      }
      return result
    },
  })
  await bench.accounts.signUp({ email, password, name: 'A Reader' })
  const second = bench.accounts.signUp({ email, password, name: 'A Reader' })
  await ended.passed
  await bench.accounts.signUp({ email, password: planted, name: 'A Stranger' })
  const stranger = await bench.mailedToken()
  goesOn.open()
  await second
  const account = await accountOf(bench.accounts.verifyEmail({ token: stranger }))
  expect((await bench.store.get(account.id))?.passwordHash).toBeNull()
})

test('a store that fails at the link for the password leaves the link of the sign-up usable', async () => {
  let isDown = false
  const bench = createBench({
    aroundRecords: async (method, run) => {
      if (isDown && method === 'insert') throw new Error('down')
      return run()
    },
  })
  const [, owner] = await signUpTwice(bench)
  isDown = true
  await expect(bench.accounts.verifyEmail({ token: owner })).rejects.toThrow('down')
  expect((await bench.accounts.list()).items).toEqual([])
  isDown = false
  expect((await accountOf(bench.accounts.verifyEmail({ token: owner }))).email).toBe(email)
})
