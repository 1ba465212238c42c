import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, email, invalidLink, password } from '../bench.ts'
import { delay } from '../stores/test-stores.ts'
import { mailsTo, newEmail, tokenTo } from './mailed-links.ts'

async function ask(options: Parameters<typeof createBench>[0] = {}) {
  const bench = createBench({ ...options, aroundReservations: () => null, options: { emailUndoDays: 0 } })
  const account = await bench.insert()
  const { identity } = await bench.signIn()
  await bench.accounts.requestEmailChange({ identity, newEmail })
  const old = await tokenTo(bench, email, 'email-change-notice')
  return { bench, account, identity, old, proven: await tokenTo(bench, newEmail, 'confirm-email-change') }
}

describe('if a change of address cannot be undone,', () => {
  test.each([
    ['the old one first', ['old', 'proven']],
    ['the new one first', ['proven', 'old']],
  ] as const)('both addresses confirm it, %s', async (_order, order) => {
    const asked = await ask()
    const { bench, account } = asked
    const [first, second] = order
    const token = asked[first]
    expect(await bench.accounts.confirmEmailChange({ token })).toMatchObject({ ok: true, isChanged: false })
    expect(await bench.store.get(account.id)).toEqual(account)
    expect(await bench.accounts.confirmEmailChange({ token })).toEqual(invalidLink)
    const confirmed = await bench.accounts.confirmEmailChange({ token: asked[second] })
    expect(confirmed).toMatchObject({ ok: true, isChanged: true, account: { email: newEmail } })
    for (const used of [asked.old, asked.proven]) {
      expect(await bench.accounts.confirmEmailChange({ token: used })).toEqual(invalidLink)
    }
    const told = (await mailsTo(bench, email)).at(-1)
    expect(told).toMatchObject({ kind: 'email-changed', url: null })
  })

  test.each(['old', 'proven'] as const)(
    'a link says whether the other address has to confirm as well, until it has confirmed itself, the %s one first',
    async (first) => {
      const asked = await ask()
      const { bench, old, proven } = asked
      const second = first === 'old' ? 'proven' : 'old'
      const check = (token: string) => bench.accounts.checkLink({ purpose: 'confirm-email-change', token })
      const waiting = { ok: true, signUp: null, newEmail, needsBoth: true }
      for (const token of [old, proven]) expect(await check(token)).toEqual(waiting)
      await bench.accounts.confirmEmailChange({ token: asked[first] })
      expect(await check(asked[first])).toEqual(invalidLink)
      expect(await check(asked[second])).toEqual({ ...waiting, needsBoth: false })
      await bench.accounts.confirmEmailChange({ token: asked[second] })
      for (const token of [old, proven]) expect(await check(token)).toEqual(invalidLink)
    },
  )

  test('the other address confirms it as long as its link works', async () => {
    const { bench, old, proven } = await ask()
    await bench.accounts.confirmEmailChange({ token: old })
    bench.advance(86_400 - 1)
    expect(await bench.accounts.confirmEmailChange({ token: proven })).toMatchObject({ ok: true, isChanged: true })
  })

  test('neither address can undo it, and the old one is free at once', async () => {
    const { bench, old, proven } = await ask()
    await bench.accounts.confirmEmailChange({ token: old })
    await bench.accounts.confirmEmailChange({ token: proven })
    expect(await bench.accounts.undoEmailChange({ token: old })).toEqual(invalidLink)
    expect(await bench.accounts.signUp({ email, password: 'seven kettles hum along', name: 'A' })).toBeDefined()
    expect((await mailsTo(bench, email)).at(-1)?.kind).toBe('verify-address')
  })

  test('one of fifty parallel second confirmations makes the change', async () => {
    const { bench, account, old, proven } = await ask({ aroundAccounts: delay, aroundRecords: delay })
    await bench.accounts.confirmEmailChange({ token: old })
    const confirming = Array.from({ length: 50 }, () => bench.accounts.confirmEmailChange({ token: proven }))
    expect((await Promise.all(confirming)).filter(({ ok }) => ok)).toHaveLength(1)
    expect(await bench.store.get(account.id)).toMatchObject({ email: newEmail, epoch: 1 })
  })

  test('both at the same moment make one change', async () => {
    for (let round = 0; round < 20; round++) {
      const { bench, account, old, proven } = await ask({ aroundAccounts: delay, aroundRecords: delay })
      const both = await Promise.all([old, proven].map((token) => bench.accounts.confirmEmailChange({ token })))
      expect(both).toMatchObject([{ ok: true }, { ok: true }])
      expect(await bench.store.get(account.id)).toMatchObject({ email: newEmail, epoch: 1 })
      expect(bench.events.filter(({ type }) => type === 'email-change.confirmed')).toHaveLength(1)
    }
  })
})

test.each<[string, (bench: Bench, id: string) => Promise<unknown>]>([
  ['the new address was taken', (bench) => bench.insert({ email: newEmail })],
  ['the account was removed', (bench, id) => bench.store.remove(id)],
])('the second confirmation is refused where %s at that moment', async (_what, overtake) => {
  let id: string | null = null
  const { bench, account, old, proven } = await ask({
    async aroundAccounts(method, run) {
      if (method === 'replace' && id !== null) await overtake(bench, id)
      return run()
    },
  })
  await bench.accounts.confirmEmailChange({ token: old })
  id = account.id
  expect(await bench.accounts.confirmEmailChange({ token: proven })).toEqual(invalidLink)
  expect(await bench.store.getByEmail(newEmail)).not.toMatchObject({ id })
})

test('parallel confirmations of both addresses report the change', async () => {
  let stored = Number.NEGATIVE_INFINITY
  const { bench, old, proven } = await ask({
    async aroundRecords(method, run) {
      if (method === 'insert') stored += 1
      if (method === 'get' && stored === 1) {
        stored = Number.NEGATIVE_INFINITY
        await bench.accounts.confirmEmailChange({ token: proven })
      }
      return run()
    },
  })
  stored = 0
  const confirmed = await bench.accounts.confirmEmailChange({ token: old })
  expect(confirmed).toMatchObject({ ok: true, isChanged: true, account: { email: newEmail } })
  expect(bench.events.filter(({ type }) => type === 'email-change.confirmed')).toHaveLength(1)
})

test('a confirmation that a store has cut short leaves its link usable', async () => {
  let fails = false
  const { bench, account, old, proven } = await ask({
    async aroundAccounts(method, run) {
      if (fails && method === 'replace') throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
      return run()
    },
  })
  await bench.accounts.confirmEmailChange({ token: old })
  fails = true
  await expect(bench.accounts.confirmEmailChange({ token: proven })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
  })
  expect(await bench.store.get(account.id)).toEqual(account)
  fails = false
  expect(await bench.accounts.confirmEmailChange({ token: proven })).toMatchObject({ ok: true, isChanged: true })
})

test('a link of a sign-up creates no second account once its address is free, although the store failed to remove it', async () => {
  let isDown = false
  const bench = createBench({
    aroundReservations: () => null,
    options: { emailUndoDays: 0 },
    aroundRecords(method, run) {
      if (isDown && method === 'removeByOwner') throw new StoreError('STORE_UNAVAILABLE', 'down')
      return run()
    },
  })
  await bench.accounts.signUp({ email, password, name: 'A Reader' })
  const token = await bench.mailedToken()
  isDown = true
  expect(await bench.accounts.verifyEmail({ token, password })).toMatchObject({ ok: true })
  isDown = false
  const { identity } = await bench.signIn()
  await bench.accounts.requestEmailChange({ identity, newEmail })
  const old = await tokenTo(bench, email, 'email-change-notice')
  const proven = await tokenTo(bench, newEmail, 'confirm-email-change')
  await bench.accounts.confirmEmailChange({ token: old })
  isDown = true
  const confirming = bench.accounts.confirmEmailChange({ token: proven })
  await expect(confirming).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(await bench.store.getByEmail(email)).not.toBeNull()
  isDown = false
  expect(await bench.accounts.confirmEmailChange({ token: proven })).toMatchObject({ ok: true, isChanged: true })
  expect(await bench.accounts.verifyEmail({ token, password })).toEqual(invalidLink)
  expect(await bench.store.getByEmail(email)).toBeNull()
})

test.each([
  ['a part of a day', 0.5],
  ['fewer than none', -1],
  ['more than 30', 31],
  ['a text', '7'],
  ['not a number', Number.NaN],
])('%s is no number of days to undo a change in', (_what, emailUndoDays) => {
  expect(() => createBench({ options: { emailUndoDays } as never })).toThrow(
    new TypeError('"emailUndoDays" must be a whole number of days from 0 to 30'),
  )
})

test('days to undo a change in need a store that reserves addresses', () => {
  expect(() => createBench({ aroundReservations: () => null, options: { emailUndoDays: 7 } })).toThrow(
    new TypeError('"emailUndoDays" needs "accounts.reservations", or must be 0'),
  )
})

test('a change requested while undo was configured is neither made nor undone without it', async () => {
  const undoable = createBench()
  const account = await undoable.insert()
  const { identity } = await undoable.signIn()
  await undoable.accounts.requestEmailChange({ identity, newEmail })
  const token = await tokenTo(undoable, newEmail, 'confirm-email-change')
  const undo = await tokenTo(undoable, email, 'email-change-notice')
  const { store, records, now } = undoable
  const { reservations: _none, ...accounts } = store
  const strict = createBench({ options: { emailUndoDays: 0, accounts, records, now } })
  expect(await strict.accounts.confirmEmailChange({ token })).toEqual(invalidLink)
  expect(await strict.accounts.undoEmailChange({ token: undo })).toEqual(invalidLink)
  expect(await store.get(account.id)).toEqual(account)
})
