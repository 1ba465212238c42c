import { createKnownDevices } from '@latchkey/accounts'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, email, invalidLink, needs, password, presentedBy, refusalOf } from '../bench.ts'
import { delay } from '../stores/test-stores.ts'
import { askForChange, changeAddress, cookieOf, hostileTokens, identityOf, mailsTo, newEmail } from './mailed-links.ts'

const other = 'other@example.com'

async function openSignedIn(options: Parameters<typeof createBench>[0] = {}) {
  const bench = createBench(options)
  const account = await bench.insert()
  const signedIn = await bench.signIn()
  return { bench, account, signedIn, identity: signedIn.identity }
}

const kindsTo = async (bench: Bench, to: string) => (await mailsTo(bench, to)).map(({ kind }) => kind)

describe('a requested change of address', () => {
  test('leaves the account unchanged, and mails both addresses', async () => {
    const { bench, account, identity } = await openSignedIn()
    expect(await bench.accounts.requestEmailChange({ identity, newEmail: ' New@Example.com ' })).toBe(true)
    expect(await kindsTo(bench, newEmail)).toEqual(['confirm-email-change'])
    expect(await kindsTo(bench, email)).toEqual(['email-change-notice'])
    expect(await bench.store.get(account.id)).toEqual(account)
    expect(bench.events.at(-1)).toMatchObject({
      type: 'email-change.requested',
      accountId: account.id,
      sessionKey: identity.key,
    })
    expect(JSON.stringify(bench.events)).not.toContain('new@example')
  })

  test.each([
    ['that has an account', false, (bench: Bench) => bench.insert({ email: newEmail })],
    [
      'that is reserved for another account',
      true,
      async (bench: Bench) => {
        const { id: accountId, epoch } = await bench.insert({ email: newEmail })
        const until = bench.now() + 1000
        await bench.store.reservations.reserve({ email: newEmail, accountId, since: bench.now(), until }, epoch)
        await bench.store.replace(accountId, {}, { email: other })
      },
    ],
  ])(
    'a change to an address %s gets the same answer and notice, and mails its owner',
    async (_what, isReserved, take) => {
      const { bench, account, identity } = await openSignedIn()
      await take(bench)
      const stored = await bench.store.getByEmail(newEmail)
      expect(await bench.accounts.requestEmailChange({ identity, newEmail })).toBe(true)
      const [told] = await mailsTo(bench, newEmail)
      expect(told).toMatchObject({ kind: 'account-exists', data: { occasion: 'email-change', isReserved } })
      expect(await kindsTo(bench, newEmail)).toHaveLength(1)
      expect(await kindsTo(bench, email)).toEqual(['email-change-notice'])
      expect(await bench.store.get(account.id)).toEqual(account)
      expect(await bench.store.getByEmail(newEmail)).toEqual(stored)
    },
  )

  test('back to the one that it has left is confirmed like any other', async () => {
    const { bench, account, signedIn } = await openSignedIn()
    await changeAddress(bench, signedIn)
    bench.advance(3600)
    const { confirm } = await askForChange(bench, await bench.signIn({ email: newEmail }), email)
    expect(await bench.accounts.confirmEmailChange({ token: confirm })).toMatchObject({ ok: true, account: { email } })
    expect(await bench.store.reservations.listByAccount(account.id, bench.now())).toEqual([])
  })

  test('is made for an identity without an epoch', async () => {
    const { bench, account } = await openSignedIn()
    expect(await bench.accounts.requestEmailChange({ identity: { subject: account.id }, newEmail })).toBe(true)
    expect(await kindsTo(bench, newEmail)).toEqual(['confirm-email-change'])
  })

  test('makes the same calls of the stores before the answer whether or not the address is taken', async () => {
    const callsFor = async (isTaken: boolean) => {
      const calls: string[] = []
      let isAsking = false
      const count = async (method: string, run: () => Promise<unknown>) => {
        if (isAsking) calls.push(method)
        return run()
      }
      const { bench, identity } = await openSignedIn({ aroundAccounts: count, aroundRecords: count })
      if (isTaken) await bench.insert({ email: newEmail })
      isAsking = true
      await bench.accounts.requestEmailChange({ identity, newEmail })
      isAsking = false
      await bench.accounts.settled()
      return calls
    }
    expect(await callsFor(false)).toEqual(['get', 'getByEmail', 'get', 'insert', 'get'])
    expect(await callsFor(true)).toEqual(await callsFor(false))
  })

  test.each([
    ['nothing', ''],
    ['no address', 'new'],
    ['two addresses', 'new@example.com,other@example.com'],
    ['two addresses with white space', 'new@example.com other@example.com'],
    ['an address and a header', 'new@example.com\nBcc: all@example.com'],
    ['an address with a name', 'New <new@example.com>'],
    ['255 characters', `${'n'.repeat(64)}@${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(58)}.com`],
  ])('a change to %s is refused and sends no mail', async (_what, text) => {
    const { bench, account, identity } = await openSignedIn()
    expect(await refusalOf(bench.accounts.requestEmailChange({ identity, newEmail: text }))).toMatchObject({
      code: 'EMAIL_INVALID',
      field: 'newEmail',
    })
    await bench.accounts.settled()
    expect(bench.outbox).toEqual([])
    expect(await bench.store.reservations.listByAccount(account.id, bench.now())).toEqual([])
  })

  test.each([
    ['its own address', { newEmail: email.toUpperCase() }],
    ['another one, in a session of an earlier epoch', { identity: { subject: 'acc', epoch: 7 } }],
  ])('a change to %s has no effect', async (_what, change) => {
    const { bench, account, identity } = await openSignedIn()
    const asking = { identity, newEmail, ...change }
    const given = { ...asking, identity: { ...asking.identity, subject: account.id } }
    expect(await bench.accounts.requestEmailChange(given)).toBe(true)
    await bench.accounts.settled()
    expect(bench.outbox).toEqual([])
    expect(bench.events.map(({ type }) => type)).not.toContain('email-change.requested')
  })

  test('the mailbox gets three notices within an hour, and without a notice no change is started', async () => {
    const { bench, identity } = await openSignedIn()
    for (let asked = 0; asked < 5; asked++) {
      await bench.accounts.requestEmailChange({ identity, newEmail: `new${asked}@example.com` })
      await bench.accounts.settled()
    }
    expect(await kindsTo(bench, email)).toHaveLength(3)
    expect(bench.outbox.filter(({ kind }) => kind === 'confirm-email-change')).toHaveLength(3)
    const withheld = bench.events.filter(({ type }) => type === 'mail.withheld')
    expect(withheld).toMatchObject(Array(2).fill({ purpose: 'email-change-notice' }))
    bench.advance(3600)
    await bench.accounts.requestEmailChange({ identity: (await bench.signIn()).identity, newEmail })
    expect(await kindsTo(bench, newEmail)).toEqual(['confirm-email-change'])
  })

  test('a requested change has no effect if the address of the account changes before the mail is written', async () => {
    const { bench, account, identity } = await openSignedIn()
    const { reserve } = bench.store.reservations
    bench.store.reservations.reserve = async (...given) => {
      await bench.store.replace(account.id, {}, { email: other })
      return reserve(...given)
    }
    expect(await bench.accounts.requestEmailChange({ identity, newEmail })).toBe(true)
    await bench.accounts.settled()
    expect(bench.outbox).toEqual([])
    expect(bench.events.filter(({ type }) => type === 'mail.failed')).toEqual([])
  })

  test('a change from a known device has three further mails, which strangers do not use up', async () => {
    const secrets = [{ id: 'a', bytes: new Uint8Array(32).fill(3) }] as const
    const { bench, account, identity } = await openSignedIn({
      options: { signIn: { knownDevices: createKnownDevices({ secrets }) } },
    })
    const known = presentedBy(createKnownDevices({ secrets }).issue(account, null))
    for (let asked = 0; asked < 4; asked++) {
      await bench.accounts.requestEmailChange({ identity, newEmail })
      await bench.accounts.settled()
    }
    await bench.accounts.requestEmailChange({ identity, newEmail, attempt: known })
    expect(await kindsTo(bench, email)).toHaveLength(4)
  })

  test('floods no mailbox of a stranger: it gets three within an hour', async () => {
    for (const isTaken of [false, true]) {
      const bench = createBench()
      const holder = isTaken ? await bench.insert({ email: newEmail }) : null
      const owners: (string | null)[] = []
      for (let asked = 0; asked < 5; asked++) {
        const from = `owner${asked}@example.com`
        const { id } = await bench.insert({ email: from })
        owners.push(holder?.id ?? id)
        const { identity } = await bench.signIn({ email: from })
        await bench.accounts.requestEmailChange({ identity, newEmail })
        await bench.accounts.settled()
      }
      expect(await kindsTo(bench, newEmail)).toHaveLength(3)
      const withheld = bench.events.filter(({ type }) => type === 'mail.withheld')
      const purpose = isTaken ? 'account-exists' : 'confirm-email-change'
      expect(withheld).toMatchObject(owners.slice(3).map((accountId) => ({ purpose, accountId })))
    }
  })

  test('is unavailable with a store without reservations, unless both addresses confirm', async () => {
    const without = { aroundReservations: () => null }
    const { bench, identity } = await openSignedIn(without)
    for (const ask of [
      () => bench.accounts.requestEmailChange({ identity, newEmail }),
      () => bench.accounts.confirmEmailChange({ token: 'change_x' }),
      () => bench.accounts.undoEmailChange({ token: 'undo_x' }),
    ]) {
      await expect(ask()).rejects.toMatchObject({
        code: 'OPERATION_UNAVAILABLE',
        message: needs('accounts.reservations'),
      })
    }
    const offering = await openSignedIn({ ...without, options: { emailUndoDays: 0 } })
    expect(await offering.bench.accounts.requestEmailChange({ identity: offering.identity, newEmail })).toBe(true)
  })
})

describe('a change of address that is confirmed', () => {
  test('a confirmed change revokes everything but the session that requested it, and mails both addresses', async () => {
    const { bench, account, signedIn } = await openSignedIn()
    const elsewhere = await bench.signIn()
    const { confirm } = await askForChange(bench, signedIn)
    const changed = await bench.accounts.confirmEmailChange({ token: confirm })
    expect(changed).toEqual({
      ok: true,
      isChanged: true,
      account: { id: account.id, email: newEmail, name: account.name, roles: account.roles, status: 'active' },
    })
    const stored = { ...account, email: newEmail, epoch: 1, keptKey: signedIn.identity.key }
    expect(await bench.store.get(account.id)).toEqual(stored)
    expect(await identityOf(bench, cookieOf(signedIn))).toMatchObject({ subject: account.id, epoch: 1 })
    expect(await identityOf(bench, cookieOf(elsewhere))).toBeNull()
    expect(bench.events.at(-1)).toMatchObject({
      type: 'email-change.confirmed',
      accountId: account.id,
      sessionKey: signedIn.identity.key,
    })
    expect(await kindsTo(bench, email)).toEqual(['email-change-notice', 'email-changed'])
    expect(await kindsTo(bench, newEmail)).toEqual(['confirm-email-change', 'email-changed'])
    const [told, alsoTold] = bench.outbox.filter(({ kind }) => kind === 'email-changed')
    expect([told?.url !== null, alsoTold?.url !== null].filter(Boolean)).toHaveLength(1)
  })

  test('allows a sign-in with the new address and no longer with the old address', async () => {
    const { bench, signedIn } = await openSignedIn()
    await changeAddress(bench, signedIn)
    expect(await bench.accounts.signIn({ email: newEmail, password, delivery: 'session' })).toMatchObject({ ok: true })
    expect(await bench.accounts.signIn({ email, password, delivery: 'session' })).toMatchObject({ ok: false })
  })

  test('keeps the old address from a sign-up, another change and an administrator', async () => {
    const { bench, signedIn } = await openSignedIn()
    await bench.accounts.signUp({ email, password, name: 'A stranger' })
    const waiting = (await mailsTo(bench, email)).at(-1)
    await changeAddress(bench, signedIn)
    await bench.accounts.signUp({ email, password, name: 'A stranger' })
    expect((await kindsTo(bench, email)).at(-1)).toBe('account-exists')
    expect(waiting?.kind).toBe('account-exists')
    expect(await bench.accounts.create({ email, password, name: 'A', roles: ['READER'] })).toBeNull()
    expect(await bench.store.getByEmail(email)).toBeNull()
    bench.advance(7 * 86_400 - 1)
    await bench.accounts.signUp({ email, password, name: 'A stranger' })
    expect((await kindsTo(bench, email)).at(-1)).toBe('account-exists')
    expect(await bench.accounts.create({ email, password, name: 'A', roles: ['READER'] })).toBeNull()
    bench.advance(1)
    expect(await bench.accounts.create({ email, password, name: 'A', roles: ['READER'] })).not.toBeNull()
  })

  test('a change frees the old address for a sign-up once it can no longer be undone', async () => {
    const { bench, signedIn } = await openSignedIn()
    await changeAddress(bench, signedIn)
    bench.advance(7 * 86_400)
    await bench.accounts.signUp({ email, password, name: 'A stranger' })
    const token = await bench.mailedToken()
    expect(await bench.accounts.verifyEmail({ token, password })).toMatchObject({ ok: true, account: { email } })
  })

  test('a change to an address with an expired reservation is made', async () => {
    const { bench, signedIn } = await openSignedIn()
    await changeAddress(bench, signedIn)
    bench.advance(7 * 86_400)
    await bench.insert({ email: other })
    const second = await bench.signIn({ email: other })
    const { confirm } = await askForChange(bench, second, email)
    expect(await bench.accounts.confirmEmailChange({ token: confirm })).toMatchObject({ ok: true, account: { email } })
  })

  test('keeps the old address also from a sign-up whose link was sent before', async () => {
    const bench = createBench()
    await bench.accounts.signUp({ email, password, name: 'A stranger' })
    const token = await bench.mailedToken()
    const account = await bench.insert()
    await changeAddress(bench, await bench.signIn())
    expect(await bench.accounts.verifyEmail({ token, password })).toEqual(invalidLink)
    expect(await bench.store.getByEmail(email)).toBeNull()
    expect((await bench.store.get(account.id))?.email).toBe(newEmail)
  })

  test('a confirmed change removes unfinished sign-ups of the new address', async () => {
    const { bench, signedIn } = await openSignedIn()
    await bench.accounts.signUp({ email: newEmail, password, name: 'A stranger' })
    const token = await bench.mailedToken()
    await changeAddress(bench, signedIn)
    expect(await bench.accounts.verifyEmail({ token, password })).toEqual(invalidLink)
  })

  test('one of fifty parallel confirmations wins, with one event and one mail to each address', async () => {
    const { bench, account, signedIn } = await openSignedIn({ aroundAccounts: delay, aroundRecords: delay })
    const { confirm } = await askForChange(bench, signedIn)
    const confirming = Array.from({ length: 50 }, () => bench.accounts.confirmEmailChange({ token: confirm }))
    const outcomes = await Promise.all(confirming)
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
    expect(await bench.store.get(account.id)).toMatchObject({ email: newEmail, epoch: 1 })
    await bench.accounts.settled()
    expect(bench.outbox.filter(({ kind }) => kind === 'email-changed')).toHaveLength(2)
    expect(bench.events.filter(({ type }) => type === 'email-change.confirmed')).toHaveLength(1)
  })

  test('a change of fifty accounts to the same address is made for one account', async () => {
    const bench = createBench({ aroundAccounts: delay })
    const tokens: string[] = []
    for (let index = 0; index < 10; index++) {
      const from = `owner${index}@example.com`
      await bench.insert({ email: from })
      bench.advance(3600)
      const signedIn = await bench.signIn({ email: from })
      tokens.push((await askForChange(bench, signedIn)).confirm)
    }
    const outcomes = await Promise.all(tokens.map((token) => bench.accounts.confirmEmailChange({ token })))
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
  })

  test.each(hostileTokens)('%s instead of the token is refused, and the account is unchanged', async (_what, forge) => {
    const { bench, account, signedIn } = await openSignedIn()
    const { confirm } = await askForChange(bench, signedIn)
    expect(await bench.accounts.confirmEmailChange({ token: forge(confirm) as string })).toEqual(invalidLink)
    expect(await bench.store.get(account.id)).toEqual(account)
    expect(bench.events.at(-1)).toMatchObject({ type: 'link.refused', purpose: 'confirm-email-change' })
    expect(await bench.accounts.confirmEmailChange({ token: confirm })).toMatchObject({ ok: true })
  })

  test.each<[string, (bench: Bench, id: string, identity: { subject: string }) => unknown]>([
    ['it has expired', (bench) => bench.advance(86_400)],
    ['it was used', (bench) => confirmLatest(bench)],
    ['the account was closed', (bench, id) => bench.accounts.disable({ id })],
    [
      'the account was closed and opened',
      async (bench, id) => {
        await bench.accounts.disable({ id })
        await bench.accounts.enable({ id })
      },
    ],
    ['all sessions were ended', (bench, _id, identity) => bench.accounts.revokeAllSessions({ identity })],
    ['the account was removed', (bench, id) => bench.store.remove(id)],
    ['the new address was taken', (bench) => bench.insert({ email: newEmail })],
  ])('is refused when %s, and nothing changes', async (_what, overtake) => {
    const { bench, account, signedIn } = await openSignedIn()
    const { confirm } = await askForChange(bench, signedIn)
    await overtake(bench, account.id, signedIn.identity)
    const before = await bench.store.get(account.id)
    expect(await bench.accounts.confirmEmailChange({ token: confirm })).toEqual(invalidLink)
    expect(await bench.store.get(account.id)).toEqual(before)
  })

  test.each<[string, (bench: Bench, id: string) => Promise<unknown>]>([
    ['has no free address to go to', (bench) => bench.insert({ email: newEmail })],
    ['is closed', (bench, id) => bench.accounts.disable({ id })],
  ])('is refused by an event that says whose link it was, of an account that %s', async (_what, overtake) => {
    const { bench, account, signedIn } = await openSignedIn()
    const { confirm } = await askForChange(bench, signedIn)
    await overtake(bench, account.id)
    await bench.accounts.confirmEmailChange({ token: confirm })
    expect(bench.events.at(-1)).toMatchObject({ type: 'link.refused', accountId: account.id })
  })

  test('is refused by the link of an outdated request', async () => {
    const { bench, account, signedIn } = await openSignedIn()
    const first = await askForChange(bench, signedIn, other)
    const second = await askForChange(bench, signedIn)
    expect(await bench.accounts.confirmEmailChange({ token: second.confirm })).toMatchObject({ ok: true })
    expect(await bench.accounts.confirmEmailChange({ token: first.confirm })).toEqual(invalidLink)
    expect((await bench.store.get(account.id))?.email).toBe(newEmail)
  })

  test.each(['get', 'replace'] as const)('a store that fails at "%s" leaves the link usable', async (failing) => {
    let fails = false
    const { bench, account, signedIn } = await openSignedIn({
      async aroundAccounts(method, run) {
        if (fails && method === failing) throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
        return run()
      },
    })
    const { confirm } = await askForChange(bench, signedIn)
    fails = true
    await expect(bench.accounts.confirmEmailChange({ token: confirm })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
    fails = false
    expect(await bench.store.get(account.id)).toEqual(account)
    expect(await bench.accounts.confirmEmailChange({ token: confirm })).toMatchObject({ ok: true })
  })

  test('the change is made even if revoked sessions cannot be removed', async () => {
    let fails = false
    const { bench, account, signedIn } = await openSignedIn({
      async aroundRecords(method, run) {
        if (fails && method === 'removeByOwner') throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
        return run()
      },
      async aroundAccounts(method, run) {
        const result = await run()
        if (method === 'replace') fails = true
        return result
      },
    })
    const { confirm } = await askForChange(bench, signedIn)
    expect(await bench.accounts.confirmEmailChange({ token: confirm })).toMatchObject({ ok: true })
    expect(bench.events).toContainEqual(
      expect.objectContaining({ type: 'clean-up.failed', accountId: account.id, channel: 'native' }),
    )
    expect(await bench.accounts.confirmEmailChange({ token: confirm })).toEqual(invalidLink)
  })

  test('checkLink returns the address of a change and leaves the link usable', async () => {
    const { bench, signedIn } = await openSignedIn()
    const { confirm, undo } = await askForChange(bench, signedIn)
    const check = (purpose: 'confirm-email-change' | 'undo-email-change', token: string) =>
      bench.accounts.checkLink({ purpose, token })
    expect(await check('confirm-email-change', confirm)).toEqual({
      ...{ ok: true, signUp: null },
      ...{ newEmail, needsBoth: false },
    })
    expect(await check('undo-email-change', undo)).toEqual({ ok: true, signUp: null, formerEmail: email })
    expect(await check('confirm-email-change', undo)).toEqual(invalidLink)
    expect(await check('undo-email-change', confirm)).toEqual(invalidLink)
    expect(await bench.accounts.confirmEmailChange({ token: confirm })).toMatchObject({ ok: true })
    expect(await check('confirm-email-change', confirm)).toEqual(invalidLink)
  })
})

describe('the link of a change of address, before it is used,', () => {
  const checkBoth = async (bench: Bench, { confirm, undo }: { readonly confirm: string; readonly undo: string }) => [
    await bench.accounts.checkLink({ purpose: 'confirm-email-change', token: confirm }),
    await bench.accounts.checkLink({ purpose: 'undo-email-change', token: undo }),
  ]

  test('can no longer confirm once the account has changed, and can still undo the change', async () => {
    const { bench, account, signedIn } = await openSignedIn()
    const tokens = await askForChange(bench, signedIn)
    await bench.accounts.revokeAllSessions({ identity: signedIn.identity })
    expect(await checkBoth(bench, tokens)).toEqual([invalidLink, { ok: true, signUp: null, formerEmail: email }])
    await bench.accounts.lockAccount({ id: account.id })
    expect(await checkBoth(bench, tokens)).toEqual([invalidLink, invalidLink])
    expect(bench.events.at(-1)).toMatchObject({ type: 'link.refused', accountId: null, purpose: 'undo-email-change' })
  })

  test('is invalid if changes of address are disabled or need both confirmations', async () => {
    const { bench, signedIn } = await openSignedIn()
    const tokens = await askForChange(bench, signedIn)
    expect(await checkBoth(bench, tokens)).toMatchObject([{ ok: true }, { ok: true }])
    const { reservations: _none, ...accounts } = bench.store
    const { records, now } = bench
    for (const setting of [{}, { emailUndoDays: 0 }]) {
      const later = createBench({ options: { accounts, records, now, ...setting } })
      expect(await checkBoth(later, tokens)).toEqual([invalidLink, invalidLink])
    }
  })

  test('returns the earliest address that the account would return to', async () => {
    const { bench, signedIn } = await openSignedIn()
    await changeAddress(bench, signedIn)
    bench.advance(60)
    const { undo } = await changeAddress(bench, await bench.signIn({ email: newEmail }), other)
    const check = () => bench.accounts.checkLink({ purpose: 'undo-email-change', token: undo })
    expect(await check()).toEqual({ ok: true, signUp: null, formerEmail: email })
    expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ account: { email } })
    expect(await check()).toEqual(invalidLink)
  })
})

async function confirmLatest(bench: Bench): Promise<void> {
  const mail = (await mailsTo(bench, newEmail)).findLast(({ kind }) => kind === 'confirm-email-change')
  await bench.accounts.confirmEmailChange({ token: new URL(mail?.url ?? '').searchParams.get('token') ?? '' })
}
