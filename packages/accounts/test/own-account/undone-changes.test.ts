import type { Accounts } from '@latchkey/accounts'
import { encodeBase64url, sha256 } from '@latchkey/bytes'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, email, invalidLink, newPassword, password, presentedBy } from '../bench.ts'
import {
  beginTotp,
  breakStored,
  createFactorsBench,
  type StoredFactor,
  storedFactors,
} from '../factors/factors-bench.ts'
import { delay } from '../stores/test-stores.ts'
import {
  askForChange,
  changeAddress,
  cookieOf,
  hostileTokens,
  identityOf,
  mailsTo,
  newEmail,
  tokenTo,
} from './mailed-links.ts'

const third = 'third@example.com'

async function openSignedIn(options: Parameters<typeof createBench>[0] = {}) {
  const bench = createBench(options)
  const account = await bench.insert()
  const signedIn = await bench.signIn()
  return { bench, account, signedIn }
}

const kindsTo = async (bench: Bench, to: string) => (await mailsTo(bench, to)).map(({ kind }) => kind)

describe('a change of address that is undone', () => {
  test('undoEmailChange restores the address without a password, and revokes everything', async () => {
    const { bench, account, signedIn } = await openSignedIn()
    const { undo } = await changeAddress(bench, signedIn)
    const undone = await bench.accounts.undoEmailChange({ token: undo })
    expect(undone).toMatchObject({ ok: true, account: { id: account.id, email } })
    const stored = { ...account, passwordHash: null, epoch: 2, keptKey: null }
    expect(await bench.store.get(account.id)).toEqual(stored)
    expect(await identityOf(bench, cookieOf(signedIn))).toBeNull()
    expect(await bench.accounts.listSessions(account.id)).toEqual([])
    expect(await bench.accounts.signIn({ email, password, delivery: 'session' })).toMatchObject({ ok: false })
    expect(bench.events.find(({ type }) => type === 'email-change.undone')).toMatchObject({
      accountId: account.id,
      factors: [],
    })
  })

  test('lets its owner choose a password by the mail to that address, and sends one to the other', async () => {
    const { bench, signedIn } = await openSignedIn()
    const { undo } = await changeAddress(bench, signedIn)
    await bench.accounts.undoEmailChange({ token: undo })
    expect((await kindsTo(bench, newEmail)).slice(-2)).toEqual(['email-changed', 'email-changed'])
    const token = await tokenTo(bench, email, 'choose-password')
    expect(await bench.accounts.resetPassword({ token, newPassword })).toMatchObject({ ok: true })
    const signIn = bench.accounts.signIn({ email, password: newPassword, delivery: 'session' })
    expect(await signIn).toMatchObject({ ok: true, status: 'signed-in' })
  })

  test('is undone by the notice of the change as well, seven days after it', async () => {
    const { bench, account, signedIn } = await openSignedIn()
    const { undo, undoLater } = await changeAddress(bench, signedIn)
    bench.advance(7 * 86_400 - 1)
    expect(await bench.accounts.undoEmailChange({ token: undoLater })).toMatchObject({ ok: true })
    expect(await bench.accounts.undoEmailChange({ token: undo })).toEqual(invalidLink)
    expect((await bench.store.get(account.id))?.email).toBe(email)
  })

  test('is undone by its own link, even if a process whose clock is ahead has reserved the address before', async () => {
    const { bench, account, signedIn } = await openSignedIn()
    bench.advance(60)
    await askForChange(bench, signedIn, third)
    bench.advance(-60)
    await changeAddress(bench, signedIn)
    const token = await tokenTo(bench, email, 'email-changed')
    expect(await bench.accounts.undoEmailChange({ token })).toMatchObject({
      ok: true,
      account: { id: account.id, email },
    })
  })

  test('can be undone for seven days from its confirmation, even if the confirmation was late', async () => {
    const { bench, account, signedIn } = await openSignedIn()
    const { confirm } = await askForChange(bench, signedIn)
    bench.advance(86_400 - 1)
    await bench.accounts.confirmEmailChange({ token: confirm })
    bench.advance(7 * 86_400 - 1)
    expect(await bench.accounts.create({ email, password, name: 'A', roles: ['READER'] })).toBeNull()
    const token = await tokenTo(bench, email, 'email-changed')
    expect(await bench.accounts.undoEmailChange({ token })).toMatchObject({ ok: true, account: { id: account.id } })
  })

  test('cannot be undone after seven days, and the old address is free then', async () => {
    const { bench, account, signedIn } = await openSignedIn()
    const { undo, undoLater } = await changeAddress(bench, signedIn)
    bench.advance(7 * 86_400)
    for (const token of [undo, undoLater]) {
      expect(await bench.accounts.undoEmailChange({ token })).toEqual(invalidLink)
    }
    expect((await bench.store.get(account.id))?.email).toBe(newEmail)
    expect(await bench.accounts.create({ email, password, name: 'A', roles: ['READER'] })).not.toBeNull()
    expect(await bench.accounts.undoEmailChange({ token: undoLater })).toEqual(invalidLink)
  })

  test('undoEmailChange before the confirmation cancels the change, removes the password and revokes everything', async () => {
    const { bench, account, signedIn } = await openSignedIn()
    const { confirm, undo } = await askForChange(bench, signedIn)
    expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true, account: { email } })
    expect(await bench.store.get(account.id)).toEqual({ ...account, passwordHash: null, epoch: 1 })
    expect(await bench.accounts.confirmEmailChange({ token: confirm })).toEqual(invalidLink)
    expect(await identityOf(bench, cookieOf(signedIn))).toBeNull()
    expect(await kindsTo(bench, email)).toEqual(['email-change-notice', 'choose-password'])
    expect(await kindsTo(bench, newEmail)).toEqual(['confirm-email-change'])
    expect(await bench.accounts.undoEmailChange({ token: undo })).toEqual(invalidLink)
  })

  test('undoEmailChange removes all links and the mark of the account, and keeps links of other accounts', async () => {
    const bench = createBench()
    const others = 'other@example.com'
    for (const address of [email, others]) await bench.insert({ email: address })
    const [own, other] = [await bench.signIn(), await bench.signIn({ email: others })]
    const { undo } = await askForChange(bench, own)
    const open = await askForChange(bench, other, third)
    const linksOf = async ({ identity: { subject } }: typeof own) => {
      const owners = ['change', 'undo'].map((kind) => `${kind}_${encodeBase64url(sha256(subject))}`)
      const pages = await Promise.all(owners.map((owner) => bench.records.listByOwner(owner)))
      return pages.map(({ items }) => items.length)
    }
    expect([await linksOf(own), await linksOf(other)]).toEqual(Array(2).fill([2, 1]))
    expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
    expect([await linksOf(own), await linksOf(other)]).toEqual([
      [0, 0],
      [2, 1],
    ])
    expect(await bench.accounts.confirmEmailChange({ token: open.confirm })).toMatchObject({ ok: true })
    expect(await bench.accounts.undoEmailChange({ token: open.undo })).toMatchObject({ ok: true })
  })

  test('leaves no link to choose a password that was mailed to the other address', async () => {
    const { bench, signedIn } = await openSignedIn()
    const { undo } = await changeAddress(bench, signedIn)
    await bench.accounts.requestPasswordReset({ email: newEmail })
    const token = await tokenTo(bench, newEmail, 'reset-password')
    const isStored = async () => (await bench.records.get(token.slice(0, token.indexOf('.')))) !== null
    expect(await isStored()).toBe(true)
    await bench.accounts.undoEmailChange({ token: undo })
    expect(await isStored()).toBe(false)
    expect(await bench.accounts.resetPassword({ token, newPassword })).toEqual(invalidLink)
  })

  test('restores the earliest address of those days, by the link of any change in them', async () => {
    for (const which of ['first', 'second'] as const) {
      const { bench, account, signedIn } = await openSignedIn()
      const first = await changeAddress(bench, signedIn)
      bench.advance(3 * 86_400)
      const again = await bench.signIn({ email: newEmail })
      const second = await changeAddress(bench, again, third)
      const { undo } = { first, second }[which]
      expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true, account: { email } })
      for (const token of [first.undo, first.undoLater, second.undo, second.undoLater]) {
        expect(await bench.accounts.undoEmailChange({ token })).toEqual(invalidLink)
      }
      expect(await bench.store.get(account.id)).toMatchObject({ email, passwordHash: null })
      expect(await bench.store.reservations.listByAccount(account.id, bench.now())).toEqual([])
    }
  })

  test('undoEmailChange restores the next address if the earliest reservation has expired', async () => {
    const { bench, account, signedIn } = await openSignedIn()
    await changeAddress(bench, signedIn)
    bench.advance(4 * 86_400)
    const second = await changeAddress(bench, await bench.signIn({ email: newEmail }), third)
    bench.advance(4 * 86_400)
    expect(await bench.accounts.undoEmailChange({ token: second.undoLater })).toMatchObject({ ok: true })
    expect((await bench.store.get(account.id))?.email).toBe(newEmail)
  })

  test('cannot be undone by the link of an earlier, undone change, even if the store still has the link', async () => {
    let fails = false
    const { bench, account, signedIn } = await openSignedIn({
      async aroundRecords(method, run) {
        if (fails && method === 'removeByOwner') throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
        return run()
      },
    })
    const first = await changeAddress(bench, signedIn)
    fails = true
    await bench.accounts.undoEmailChange({ token: first.undo })
    const token = await tokenTo(bench, email, 'choose-password')
    await bench.accounts.resetPassword({ token, newPassword })
    fails = false
    bench.advance(60)
    await changeAddress(bench, await bench.signIn({ password: newPassword }), third)
    for (const spent of [first.undo, first.undoLater]) {
      expect(await bench.accounts.checkLink({ purpose: 'undo-email-change', token: spent })).toEqual(invalidLink)
      expect(await bench.accounts.undoEmailChange({ token: spent })).toEqual(invalidLink)
    }
    expect((await bench.store.get(account.id))?.email).toBe(third)
  })

  test('cannot be undone after an administrator has closed the account', async () => {
    const { bench, account, signedIn } = await openSignedIn()
    const { undo } = await changeAddress(bench, signedIn)
    await bench.accounts.lockAccount({ id: account.id })
    const before = await bench.store.get(account.id)
    expect(await bench.accounts.undoEmailChange({ token: undo })).toEqual(invalidLink)
    expect(await bench.store.get(account.id)).toEqual(before)
    expect(bench.events.at(-1)).toMatchObject({ type: 'link.refused', accountId: account.id })
  })

  test('emits an event with the device that the account knows', async () => {
    const { bench, signedIn } = await openSignedIn()
    const { undo } = await askForChange(bench, signedIn)
    const attempt = presentedBy(signedIn.deviceToken)
    expect(await bench.accounts.undoEmailChange({ token: undo, attempt })).toMatchObject({ ok: true })
    const undone = bench.events.find(({ type }) => type === 'email-change.undone')
    expect(undone).toMatchObject({ device: expect.stringMatching(/^dev_/) })
  })

  test.each(hostileTokens)('cannot be undone by %s instead of the token', async (_what, forge) => {
    const { bench, account, signedIn } = await openSignedIn()
    const { undo } = await changeAddress(bench, signedIn)
    const before = await bench.store.get(account.id)
    expect(await bench.accounts.undoEmailChange({ token: forge(undo) as string })).toEqual(invalidLink)
    expect(await bench.store.get(account.id)).toEqual(before)
    expect(bench.events.at(-1)).toMatchObject({ type: 'link.refused', purpose: 'undo-email-change' })
  })

  test.each(['before', 'after'] as const)('one of fifty parallel undos wins, %s the confirmation', async (when) => {
    const { bench, account, signedIn } = await openSignedIn({ aroundAccounts: delay, aroundRecords: delay })
    const { undo } = await (when === 'before' ? askForChange(bench, signedIn) : changeAddress(bench, signedIn))
    const undoing = Array.from({ length: 50 }, () => bench.accounts.undoEmailChange({ token: undo }))
    expect((await Promise.all(undoing)).filter(({ ok }) => ok)).toHaveLength(1)
    await bench.accounts.settled()
    expect(bench.outbox.filter(({ kind }) => kind === 'choose-password')).toHaveLength(1)
    expect(bench.events.filter(({ type }) => type === 'email-change.undone')).toHaveLength(1)
    const token = await tokenTo(bench, email, 'choose-password')
    expect(await bench.accounts.resetPassword({ token, newPassword })).toMatchObject({ ok: true })
    expect(await bench.store.get(account.id)).toMatchObject({ email, epoch: when === 'before' ? 2 : 3 })
  })

  test('a parallel confirmation and undo never both take effect', async () => {
    for (let round = 0; round < 20; round++) {
      const { bench, account, signedIn } = await openSignedIn({ aroundAccounts: delay, aroundRecords: delay })
      const { confirm, undo } = await askForChange(bench, signedIn)
      const [, undone] = await Promise.all([
        bench.accounts.confirmEmailChange({ token: confirm }),
        bench.accounts.undoEmailChange({ token: undo }),
      ])
      expect(undone.ok).toBe(true)
      expect(await bench.store.get(account.id)).toMatchObject({ email, passwordHash: null })
      expect(await identityOf(bench, cookieOf(signedIn))).toBeNull()
    }
  })

  test.each(['the swap', 'the address is reserved'])(
    'a change is undone once, even if a confirmation that started before continues after it: %s',
    async (until) => {
      const undone = Promise.withResolvers<void>()
      let isConfirming = false
      const held = async <T>(is: boolean, run: () => Promise<T>): Promise<T> => {
        if (is && isConfirming) {
          isConfirming = false
          await undone.promise
        }
        return run()
      }
      const { bench, account, signedIn } = await openSignedIn({
        aroundAccounts: (method, run) => held(until === 'the swap' && method === 'replace', run),
        aroundReservations: (group) => ({
          ...group,
          reserve: (...given) => held(until !== 'the swap', () => group.reserve(...given)),
        }),
      })
      const { confirm, undo } = await askForChange(bench, signedIn)
      isConfirming = true
      const confirming = bench.accounts.confirmEmailChange({ token: confirm })
      await expect.poll(() => isConfirming).toBe(false)
      expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
      undone.resolve()
      expect(await confirming).toEqual(invalidLink)
      expect(await bench.store.reservations.listByAccount(account.id, bench.now())).toEqual([])
      expect(await bench.store.get(account.id)).toMatchObject({ email, passwordHash: null, epoch: 1 })
    },
  )

  test.each(['a change of address', 'a reset'])(
    'the owner keeps the link to choose a password, even if %s removes earlier links later',
    async (before) => {
      const undone = Promise.withResolvers<void>()
      let isHeld = false
      let holdsAfterSwap = true
      const { bench, signedIn } = await openSignedIn({
        async aroundRecords(method, run) {
          if (isHeld && method === 'removeByOwner') await undone.promise
          return run()
        },
        async aroundAccounts(method, run) {
          const result = await run()
          if (method === 'replace') isHeld = holdsAfterSwap
          return result
        },
      })
      const { confirm, undo } = await askForChange(bench, signedIn)
      await bench.accounts.requestPasswordReset({ email })
      const reset = await tokenTo(bench, email, 'reset-password')
      const changing =
        before === 'a reset'
          ? bench.accounts.resetPassword({ token: reset, newPassword: `${newPassword} of others` })
          : bench.accounts.confirmEmailChange({ token: confirm })
      const { subject } = signedIn.identity
      await expect.poll(async () => (await bench.store.get(subject))?.epoch).toBe(1)
      await expect.poll(() => isHeld).toBe(true)
      isHeld = false
      holdsAfterSwap = false
      expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
      undone.resolve()
      expect(await changing).toMatchObject({ ok: true })
      const token = await tokenTo(bench, email, 'choose-password')
      expect(await bench.accounts.resetPassword({ token, newPassword })).toMatchObject({ ok: true })
    },
  )

  test('is undone even while the session that made it keeps changing the account', async () => {
    let steals = 0
    const { bench, account, signedIn } = await openSignedIn({
      async aroundAccounts(method, run) {
        if (method === 'replace' && steals > 0) {
          steals -= 1
          const { epoch = 0 } = (await bench.store.get(account.id)) ?? {}
          await bench.store.replace(account.id, {}, { epoch: epoch + 1 })
        }
        return run()
      },
    })
    const { undo } = await changeAddress(bench, signedIn)
    steals = 5
    expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true, account: { email } })
  })

  test.each(['get', 'replace'] as const)('a store that fails at "%s" leaves the undo link usable', async (failing) => {
    let fails = false
    const { bench, signedIn } = await openSignedIn({
      async aroundAccounts(method, run) {
        if (fails && method === failing) throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
        return run()
      },
    })
    const { undo } = await changeAddress(bench, signedIn)
    fails = true
    await expect(bench.accounts.undoEmailChange({ token: undo })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    fails = false
    expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
  })
})

describe('the factors of an account whose change of address is undone', () => {
  const totpOf = async (accounts: Pick<Accounts, 'listFactors'>, id: string) =>
    (await accounts.listFactors(id)).map(({ kind }) => kind)

  test('factors added since the request are removed', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const { undo } = await askForChange(bench, await bench.signIn())
    bench.advance(60)
    const app = await bench.enrollTotp(account)
    await bench.addPasskey({ identity: app.identity } as never)
    expect(await totpOf(bench.accounts, account.id)).toEqual(['totp', 'passkey', 'recovery-code'])
    expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
    expect(await totpOf(bench.accounts, account.id)).toEqual([])
    expect(await bench.store.get(account.id)).toMatchObject({ enrolled: [] })
    expect(bench.events.find(({ type }) => type === 'email-change.undone')).toMatchObject({
      factors: ['totp', 'passkey', 'recovery-code'],
    })
  })

  test('older factors remain, and are requested before the password', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const app = await bench.enrollTotp(account)
    bench.advance(60)
    const { undo } = await askForChange(bench, app)
    bench.advance(60)
    await bench.addPasskey({ identity: app.identity } as never)
    expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
    expect(await totpOf(bench.accounts, account.id)).toEqual(['totp', 'recovery-code'])
    expect(await bench.store.get(account.id)).toMatchObject({ enrolled: ['totp'] })
    const token = await tokenTo(bench, email, 'choose-password')
    const reset = bench.accounts.resetPassword({ token, newPassword })
    expect(await reset).toMatchObject({ ok: true, status: 'second-factor-required' })
  })

  test('an older passkey remains when a newer passkey is removed, with its recovery codes', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const first = await bench.addPasskey(await bench.signIn())
    bench.advance(60)
    const { undo } = await askForChange(bench, first)
    bench.advance(60)
    const second = await bench.addPasskey({ identity: first.identity } as never)
    const confirm = await beginTotp(bench, second)
    expect(await confirm()).toMatchObject({ ok: true })
    expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
    expect(await totpOf(bench.accounts, account.id)).toEqual(['passkey', 'recovery-code'])
    expect((await bench.accounts.listPasskeys(account.id)).map(({ id }) => id)).toEqual([first.id])
  })

  test('unreadable factors are removed, and older factors remain', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const first = await bench.addPasskey(await bench.signIn())
    const second = await bench.addPasskey({ identity: first.identity } as never)
    bench.advance(60)
    const { undo } = await askForChange(bench, second)
    const app = await beginTotp(bench, second)
    expect(await app()).toMatchObject({ ok: true })
    for (const kind of ['totp', 'recovery-code']) await breakStored(bench, kind)
    await breakStored(bench, 'passkey', second.id)
    expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
    expect((await storedFactors(bench, account.id)).map(({ id }) => id)).toEqual([first.id])
    expect(await bench.store.get(account.id)).toMatchObject({ email, enrolled: ['passkey'] })
    expect(bench.events.find(({ type }) => type === 'email-change.undone')).toMatchObject({
      factors: ['totp', 'passkey', 'recovery-code'],
    })
  })

  test('factors of a newer release block the undo, because they may be older than the change', async () => {
    for (const kind of ['totp', 'passkey', 'recovery-code']) {
      const bench = createFactorsBench()
      const account = await bench.insert()
      const { undo } = await askForChange(bench, await bench.signIn())
      const app = await bench.enrollTotp(account)
      await bench.addPasskey({ identity: app.identity } as never)
      await breakStored(bench, kind, undefined, '{"v":99}')
      const before = await storedFactors(bench, account.id)
      await expect(bench.accounts.undoEmailChange({ token: undo })).rejects.toMatchObject({ code: 'STORE_DATA_NEWER' })
      expect(await storedFactors(bench, account.id)).toEqual(before)
    }
  })

  test('older recovery codes are removed with the last factor', async () => {
    const bench = createFactorsBench()
    const account = await bench.insert()
    const app = await bench.enrollTotp(account)
    bench.advance(60)
    const { undo } = await askForChange(bench, app)
    bench.advance(60)
    const { identity } = await bench.addPasskey({ identity: app.identity } as never)
    expect(await bench.accounts.disableTotp({ identity, code: bench.codeOf(app.secret) })).toMatchObject({ ok: true })
    expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
    expect(await totpOf(bench.accounts, account.id)).toEqual([])
  })

  test('older recovery codes are removed with the last factor even if passkeys are not configured', async () => {
    const bench = createFactorsBench({}, ({ passkeys: _passkeys, ...parts }) => parts)
    const account = await bench.insert()
    const app = await bench.enrollTotp(account)
    bench.advance(60)
    const { undo } = await askForChange(bench, app)
    for (const factor of await storedFactors(bench, account.id))
      if (factor.kind === 'totp') await bench.documents.remove(factor)
    expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
    expect(await totpOf(bench.accounts, account.id)).toEqual([])
  })

  test('a factor that is activated after the first search is removed and named as well', async () => {
    let late: StoredFactor | undefined
    const bench = createFactorsBench({
      async aroundAccounts(method, run) {
        if (method === 'replace' && late) await bench.documents.insert(late)
        return run()
      },
    })
    const account = await bench.insert()
    const { undo } = await askForChange(bench, await bench.signIn())
    await bench.enrollTotp(account)
    const stored = await storedFactors(bench, account.id)
    for (const factor of stored) await bench.documents.remove(factor)
    late = stored.find(({ kind }) => kind === 'totp')
    expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
    expect(await totpOf(bench.accounts, account.id)).toEqual([])
    expect(bench.events.find(({ type }) => type === 'email-change.undone')).toMatchObject({ factors: ['totp'] })
  })

  test('a failed second search is an event, and the change is undone', async () => {
    let fails = false
    const bench = createFactorsBench({
      aroundDocuments: (store) => ({
        ...store,
        async listByOwner(...given) {
          if (fails) throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
          return store.listByOwner(...given)
        },
      }),
      async aroundAccounts(method, run) {
        const result = await run()
        if (method === 'replace') fails = true
        return result
      },
    })
    const account = await bench.insert()
    const { undo } = await askForChange(bench, await bench.signIn())
    fails = false
    expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
    expect(bench.events.find(({ type }) => type === 'clean-up.failed')).toMatchObject({ accountId: account.id })
    expect(bench.events.find(({ type }) => type === 'email-change.undone')).toMatchObject({ factors: [] })
  })

  test('consents of clients are removed before the change is undone, so a store that fails after it leaves none', async () => {
    let fails = false
    const bench = createFactorsBench({
      aroundDocuments: (store) => ({
        ...store,
        async removeByOwner(...given) {
          if (fails) throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
          return store.removeByOwner(...given)
        },
      }),
      async aroundAccounts(method, run) {
        const result = await run()
        if (method === 'replace') fails = true
        return result
      },
    })
    const { id } = await bench.insert()
    const { undo } = await askForChange(bench, await bench.signIn())
    await bench.documents.insert({ collection: 'oauth-grant', id: 'grant_1', owner: id, version: '1', value: '{}' })
    fails = true
    await expect(bench.accounts.undoEmailChange({ token: undo })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    fails = false
    expect(await bench.accounts.undoEmailChange({ token: undo })).toMatchObject({ ok: true })
    expect(bench.events.map(({ type }) => type)).toContain('clean-up.failed')
    expect((await bench.documents.list('oauth-grant')).items).toEqual([])
  })

  test('a factor that is activated in parallel is removed as well', async () => {
    for (let round = 0; round < 10; round++) {
      const bench = createFactorsBench({ aroundAccounts: delay, aroundRecords: delay })
      const account = await bench.insert()
      const signedIn = await bench.signIn()
      const { undo } = await askForChange(bench, signedIn)
      const { identity } = signedIn
      const begun = await bench.accounts.startTotpEnrollment({ identity })
      if (!begun.ok) throw new Error('no enrolment has begun')
      const code = bench.codeOf(begun.secret)
      const [, undone] = await Promise.all([
        bench.accounts.confirmTotpEnrollment({ identity, code }),
        bench.accounts.undoEmailChange({ token: undo }),
      ])
      expect(undone.ok).toBe(true)
      expect(await totpOf(bench.accounts, account.id)).toEqual([])
    }
  })
})
