import { type Account, type Accounts, createAttemptLimits } from '@latchkey/accounts'
import { createMemoryCounterStore, createMemoryDocumentStore, StoreError } from '@latchkey/store'
import { createFailureCounter } from '@latchkey/store/internal'
import { describe, expect, test, vi } from 'vitest'
import { type Bench, createBench, email, invalidCredentials, invalidLink, needs, password } from '../bench.ts'
import { createFactorsBench, storedFactors } from '../factors/factors-bench.ts'
import { createSilence, delay, wrapDocumentStore } from '../stores/test-stores.ts'
import { askForChange, changeAddress, cookieOf, identityOf, mailsTo, newEmail, tokenTo } from './mailed-links.ts'

const deletion = { onDelete: async () => {} }

async function openSignedIn({ options = {}, ...around }: Parameters<typeof createBench>[0] = {}) {
  const bench = createBench({ ...around, options: { deletion, ...options } })
  const account = await bench.insert()
  const signedIn = await bench.signIn()
  return { bench, account, signedIn, identity: signedIn.identity }
}

/** The account as the application is shown it. */
const presentedOf = ({ id, name, roles, status }: Account, address = email) => ({
  id,
  email: address,
  name,
  roles,
  status,
})

describe('a deletion', () => {
  test('deletes the account and its sessions, sends its owner a mail, and emits an event', async () => {
    const { bench, account, signedIn, identity } = await openSignedIn()
    const elsewhere = await bench.signIn({ delivery: 'token' })
    expect(await bench.accounts.deleteAccount({ identity })).toEqual({ ok: true })
    expect(await bench.store.get(account.id)).toBeNull()
    expect(await identityOf(bench, cookieOf(signedIn))).toBeNull()
    if (elsewhere.credentials.delivery === 'session') throw new Error('no family was opened')
    const claims = await bench.verify(elsewhere.credentials.accessToken)
    expect(await bench.accounts.identifyToken(claims)).toBeNull()
    expect(await bench.sessions.list(account.id)).toEqual([])
    expect(await bench.accounts.signIn({ email, password, delivery: 'session' })).toMatchObject(invalidCredentials)
    expect((await mailsTo(bench, email)).map(({ kind }) => kind)).toEqual(['account-deleted'])
    expect(bench.events.find(({ type }) => type === 'account.deleted')).toMatchObject({
      accountId: account.id,
      sessionKey: identity.key,
    })
  })

  test('deletes an account for an identity without an epoch, without a store of documents', async () => {
    const { bench, account } = await openSignedIn({ options: { documents: undefined } as never })
    expect(await bench.accounts.deleteAccount({ identity: { subject: account.id } })).toEqual({ ok: true })
    expect(bench.events.map(({ type }) => type)).not.toContain('clean-up.failed')
  })

  /** An account by a sign-up whose link a failing store has left. */
  async function openWithLeftLink() {
    const store = { isDown: false, failsOnDelete: false }
    const onDelete = async (): Promise<void> => void Object.assign(store, { isDown: store.failsOnDelete })
    const bench = createBench({
      options: { deletion: { onDelete } },
      aroundRecords(method, run) {
        if (store.isDown && method === 'removeByOwner') throw new StoreError('STORE_UNAVAILABLE', 'down')
        return run()
      },
    })
    await bench.accounts.signUp({ email, password, name: 'A Reader' })
    const token = await bench.mailedToken()
    store.isDown = true
    expect(await bench.accounts.verifyEmail({ token, password })).toMatchObject({ ok: true })
    store.isDown = false
    return { bench, token, store, identity: (await bench.signIn()).identity }
  }

  test('invalidates the link of the sign-up, although the store failed to remove it when it was used', async () => {
    const { bench, token, identity } = await openWithLeftLink()
    expect(await bench.accounts.deleteAccount({ identity })).toEqual({ ok: true })
    expect(await bench.accounts.verifyEmail({ token, password })).toEqual(invalidLink)
    expect(await bench.store.getByEmail(email)).toBeNull()
  })

  test('is refused, and leaves the account, while the store fails to remove the link of its sign-up', async () => {
    const { bench, store, identity } = await openWithLeftLink()
    store.failsOnDelete = true
    await expect(bench.accounts.deleteAccount({ identity })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await bench.store.getByEmail(email)).not.toBeNull()
    Object.assign(store, { isDown: false, failsOnDelete: false })
    const { identity: again } = await bench.signIn()
    expect(await bench.accounts.deleteAccount({ identity: again })).toEqual({ ok: true })
  })

  test('lets the address sign up anew, as an account of another id', async () => {
    const { bench, account, identity } = await openSignedIn()
    await bench.accounts.deleteAccount({ identity })
    await bench.accounts.signUp({ email, password, name: 'A Reader' })
    const verified = await bench.accounts.verifyEmail({ token: await bench.mailedToken(), password })
    expect(verified).toMatchObject({ ok: true, account: { email } })
    expect(verified).not.toMatchObject({ account: { id: account.id } })
  })

  test('calls the application first, once, with the current account and all other sessions revoked', async () => {
    const seen: unknown[] = []
    const { bench, account, signedIn, identity } = await openSignedIn({
      options: {
        deletion: {
          onDelete: async (shown) => {
            const isStored = (await bench.store.get(account.id)) !== null
            seen.push([shown, isStored, (await bench.accounts.listSessions(account.id)).map(({ key }) => key)])
          },
        },
      },
    })
    await bench.signIn()
    await bench.accounts.deleteAccount({ identity })
    expect(seen).toEqual([[presentedOf(account), true, [signedIn.identity.key]]])
  })

  test('calls the application again after a sign-in in between, and leaves no data written then', async () => {
    const drafts = new Set<string>()
    const opened: string[] = []
    const { bench, account, identity } = await openSignedIn({
      options: {
        deletion: {
          onDelete: async () => {
            drafts.clear()
            if (opened.length > 0) {
              expect(await identityOf(bench, opened[0] ?? '')).toBeNull()
              return
            }
            opened.push(cookieOf(await bench.signIn()))
            drafts.add('written while it worked')
          },
        },
      },
    })
    expect(await bench.accounts.deleteAccount({ identity })).toEqual({ ok: true })
    expect([...drafts]).toEqual([])
    expect(await identityOf(bench, opened[0] ?? '')).toBeNull()
    expect(await bench.sessions.list(account.id)).toEqual([])
  })

  test('completes even if sign-ins come again and again', async () => {
    const onDelete = vi.fn(async () => void (await bench.signIn()))
    const { bench, account, identity } = await openSignedIn({ options: { deletion: { onDelete } } })
    expect(await bench.accounts.deleteAccount({ identity })).toEqual({ ok: true })
    expect(onDelete).toHaveBeenCalledTimes(3)
    expect([await bench.store.get(account.id), await bench.sessions.list(account.id)]).toEqual([null, []])
  })

  test('is refused by an error of the application, and can be requested again', async () => {
    let refuses = true
    const onDelete = (): void => {
      if (refuses) throw new Error('there is an open invoice')
    }
    const { bench, account, signedIn, identity } = await openSignedIn({ options: { deletion: { onDelete } } })
    await expect(bench.accounts.deleteAccount({ identity })).rejects.toThrow('there is an open invoice')
    expect(await bench.store.get(account.id)).toMatchObject({ ...account, epoch: 1, keptKey: identity.key })
    expect(bench.events.map(({ type }) => type)).not.toContain('account.deleted')
    await bench.accounts.settled()
    expect(bench.outbox).toEqual([])
    refuses = false
    const again = await identityOf(bench, cookieOf(signedIn))
    if (!again) throw new Error('the session has ended')
    expect(await bench.accounts.deleteAccount({ identity: again })).toEqual({ ok: true })
  })

  test.each(['by a session', 'by who names the epoch'])(
    'one of fifty parallel deletions %s wins, and the application is called once',
    async (by) => {
      const onDelete = vi.fn()
      const { bench, account, identity } = await openSignedIn({
        aroundAccounts: delay,
        aroundRecords: delay,
        options: { deletion: { onDelete } },
      })
      const asking = by === 'by a session' ? identity : { subject: account.id, epoch: 0 }
      const deleting = Array.from({ length: 50 }, () => bench.accounts.deleteAccount({ identity: asking }))
      expect((await Promise.all(deleting)).filter(({ ok }) => ok)).toHaveLength(1)
      expect(onDelete).toHaveBeenCalledTimes(1)
      expect(await bench.store.get(account.id)).toBeNull()
      expect(bench.events.filter(({ type }) => type === 'account.deleted')).toHaveLength(1)
    },
  )

  test.each<[string, (bench: Bench, id: string, identity: { subject: string; key: string }) => unknown]>([
    ['has no account', (bench, id) => bench.store.remove(id)],
    ['has ended', (bench, id, { key }) => bench.sessions.revoke(id, key)],
    ['is of an earlier epoch', (bench, id) => bench.accounts.setRoles({ id, roles: ['AUTHOR'] })],
    ['belongs to a closed account', (bench, id) => bench.accounts.disable({ id })],
  ])('by a session that %s is refused, and nothing of the application is deleted', async (_what, end) => {
    const onDelete = vi.fn()
    const { bench, account, identity } = await openSignedIn({ options: { deletion: { onDelete } } })
    await end(bench, account.id, identity)
    const before = await bench.store.get(account.id)
    expect(await bench.accounts.deleteAccount({ identity })).toEqual(invalidCredentials)
    expect(await bench.store.get(account.id)).toEqual(before)
    expect(onDelete).not.toHaveBeenCalled()
  })

  test.each<[string, (bench: Bench, id: string, undo: string) => Promise<unknown>]>([
    ['is locked', ({ accounts }, id) => accounts.lockAccount({ id })],
    ['is disabled', ({ accounts }, id) => accounts.disable({ id })],
    ['gets its address back', ({ accounts }, _id, token) => accounts.undoEmailChange({ token })],
    [
      'gets a new password by a mail',
      async (bench) => {
        await bench.accounts.requestPasswordReset({ email })
        const token = await tokenTo(bench, email, 'reset-password')
        return bench.accounts.resetPassword({ token, newPassword: 'seven kettles hum along' })
      },
    ],
  ])('an account that %s while the application deletes remains', async (_what, change) => {
    let undo = ''
    const onDelete = async () => void (await change(bench, account.id, undo))
    const { bench, account, signedIn } = await openSignedIn({ options: { deletion: { onDelete } } })
    undo = (await askForChange(bench, signedIn)).undo
    expect(await bench.accounts.deleteAccount({ identity: signedIn.identity })).toEqual(invalidCredentials)
    expect(await bench.store.getByEmail(email)).toMatchObject({ id: account.id })
    expect(bench.events.map(({ type }) => type)).not.toContain('account.deleted')
  })

  test('an account whose hash is renewed while the application deletes is deleted', async () => {
    const onDelete = async () => void (await bench.store.replace(account.id, {}, { passwordHash: 'renewed' }))
    const { bench, account, identity } = await openSignedIn({ options: { deletion: { onDelete } } })
    expect(await bench.accounts.deleteAccount({ identity })).toEqual({ ok: true })
  })

  test('a refresh during a deletion leaves no valid token', async () => {
    for (let round = 0; round < 20; round++) {
      const { bench, identity } = await openSignedIn({ aroundAccounts: delay, aroundRecords: delay })
      const { credentials } = await bench.signIn({ delivery: 'token' })
      if (credentials.delivery === 'session') throw new Error('no family was opened')
      const [refreshed, deleted] = await Promise.all([
        bench.accounts.refresh({ token: credentials.refreshToken, channel: 'cookie' }),
        bench.accounts.deleteAccount({ identity }),
      ])
      expect(deleted).toEqual({ ok: true })
      if (!refreshed.ok) continue
      const { accessToken, refreshToken } = refreshed.credentials
      expect(await bench.accounts.identifyToken(await bench.verify(accessToken))).toBeNull()
      expect(await bench.accounts.refresh({ token: refreshToken, channel: 'cookie' })).toEqual(invalidCredentials)
    }
  })

  test('voids what would change or undo the address, and frees what was reserved', async () => {
    const { bench, signedIn } = await openSignedIn()
    const { undo, undoLater } = await changeAddress(bench, signedIn)
    const again = await bench.signIn({ email: newEmail })
    const pending = await askForChange(bench, again, 'third@example.com')
    expect(await bench.accounts.deleteAccount({ identity: again.identity })).toEqual({ ok: true })
    for (const token of [undo, undoLater, pending.undo]) {
      expect(await bench.accounts.undoEmailChange({ token })).toEqual(invalidLink)
    }
    expect(await bench.accounts.confirmEmailChange({ token: pending.confirm })).toEqual(invalidLink)
    for (const address of [email, newEmail]) {
      expect(await bench.accounts.create({ email: address, password, name: 'A', roles: ['READER'] })).not.toBeNull()
    }
  })

  test('invalidates links of resets that were requested before and during it, and keeps no record of them', async () => {
    const tokens: string[] = []
    const askForReset = async () => {
      await bench.accounts.requestPasswordReset({ email })
      tokens.push(await bench.mailedToken())
    }
    const { bench, identity } = await openSignedIn({ options: { deletion: { onDelete: askForReset } } })
    await askForReset()
    const keyOf = (token: string) => token.split('.')[0] ?? ''
    expect(await bench.records.get(keyOf(tokens[0] ?? ''))).not.toBeNull()
    await bench.accounts.deleteAccount({ identity })
    expect(tokens).toHaveLength(2)
    for (const token of tokens) {
      expect(await bench.accounts.resetPassword({ token, newPassword: password })).toEqual(invalidLink)
      expect(await bench.records.get(keyOf(token))).toBeNull()
    }
  })

  test('removes factors, documents, links to providers and counts of the account, and of no other', async () => {
    const counters = createMemoryCounterStore()
    const attemptLimits = createAttemptLimits({ counters, secrets: [{ id: '2026-01', bytes: new Uint8Array(32) }] })
    const bench = createFactorsBench({ options: { deletion, signIn: { attemptLimits } } })
    const account = await bench.insert()
    const other = await bench.insert({ email: newEmail })
    await bench.enrollTotp(other)
    const app = await bench.enrollTotp(account)
    for (const { id: accountId } of [account, other]) {
      for (const collection of ['oauth-grant', 'note'])
        await bench.documents.insert({ collection, id: accountId, owner: accountId, version: 'first', value: '' })
      await bench.links.insert({ issuer: 'https://id.example.com', subject: accountId, accountId, createdAt: 1 })
      await createFailureCounter(counters, 'password').add(accountId)
    }
    expect(await bench.accounts.deleteAccount({ identity: app.identity })).toEqual({ ok: true })
    const countsOf = async ({ id }: { readonly id: string }) => [
      (await storedFactors(bench, id)).length > 0,
      (await bench.documents.listByOwner(id, { collections: ['oauth-grant', 'note'] })).items.length,
      (await bench.links.listByAccount(id)).length,
      await createFailureCounter(counters, 'password').read(id),
    ]
    expect(await countsOf(account)).toEqual([false, 0, 0, 0])
    expect(await countsOf(other)).toEqual([true, 2, 1, 1])
  })

  test('is made even if the records of the account cannot be removed', async () => {
    let fails = false
    const { bench, account, identity } = await openSignedIn({
      async aroundAccounts(method, run) {
        if (method === 'remove') fails = true
        return run()
      },
      async aroundRecords(_method, run) {
        if (fails) throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
        return run()
      },
    })
    expect(await bench.accounts.deleteAccount({ identity })).toEqual({ ok: true })
    const failed = bench.events.find(({ type }) => type === 'clean-up.failed')
    expect(failed).toMatchObject({ accountId: account.id, channel: 'native' })
    expect(await bench.store.get(account.id)).toBeNull()
  })

  test('a deletion is answered after one deadline if the stores fall silent after the removal of the account', async () => {
    const silence = createSilence()
    const { around } = silence
    const memory = createMemoryCounterStore()
    const reset = async (key: string) => void (await around('reset', () => memory.reset(key)))
    const counters = { ...memory, reset }
    const attemptLimits = createAttemptLimits({ counters, secrets: [{ id: '2026-01', bytes: new Uint8Array(32) }] })
    const { bench, identity } = await openSignedIn({
      async aroundAccounts(method, run) {
        const answer = await run()
        if (method === 'remove') silence.begin()
        return answer
      },
      aroundRecords: around,
      options: { documents: wrapDocumentStore(createMemoryDocumentStore(), around), signIn: { attemptLimits } },
    })
    const deletion = bench.accounts.deleteAccount({ identity })
    const callsOfDeadlines = await silence.passDeadlines(deletion)
    expect(callsOfDeadlines).toEqual([6])
    expect(await deletion).toEqual({ ok: true })
  })

  test('a deletion that a failing store interrupts can be repeated', async () => {
    let fails = true
    const { bench, account, signedIn, identity } = await openSignedIn({
      async aroundAccounts(method, run) {
        if (fails && method === 'remove') throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
        return run()
      },
    })
    await expect(bench.accounts.deleteAccount({ identity })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await bench.store.get(account.id)).not.toBeNull()
    fails = false
    const again = await identityOf(bench, cookieOf(signedIn))
    if (!again) throw new Error('the session has ended')
    expect(await bench.accounts.deleteAccount({ identity: again })).toEqual({ ok: true })
  })

  test('deleteAccount is unavailable without the option deletion', async () => {
    const bench = createBench()
    const { id: subject } = await bench.insert()
    const refused = bench.accounts.deleteAccount({ identity: { subject } })
    await expect(refused).rejects.toMatchObject({ code: 'OPERATION_UNAVAILABLE', message: needs('deletion') })
    expect(await bench.store.get(subject)).not.toBeNull()
  })

  test.each([
    ['"deletion.onDelete" must be a function', {}],
    ['"deletion.onDelete" must be a function', { onDelete: 'drafts' }],
    ['"deletion" has no option "ondelete". Did you mean "onDelete"?', { ondelete: () => {} }],
  ])('is refused at the factory: %s', (message, given) => {
    expect(() => createBench({ options: { deletion: given as never } })).toThrow(new TypeError(message))
  })
})

/** Every use case of an owner is refused to an account that is gone. */
test('an account that was deleted is of no use to anyone', async () => {
  const { bench, account, identity } = await openSignedIn()
  await bench.accounts.deleteAccount({ identity })
  const { accounts } = bench
  const tried: readonly [keyof Accounts, Promise<unknown>, unknown][] = [
    ['changeName', accounts.changeName({ identity, name: 'Ada' }), null],
    ['exportAccount', accounts.exportAccount({ identity }), null],
    ['requestEmailChange', accounts.requestEmailChange({ identity, newEmail }), true],
    ['setRoles', accounts.setRoles({ id: account.id, roles: ['ADMIN'] }), null],
    ['unlockAccount', accounts.unlockAccount({ id: account.id }), null],
    ['endSessions', accounts.endSessions({ id: account.id }), 0],
  ]
  for (const [name, call, answer] of tried) expect([name, await call]).toEqual([name, answer])
  expect(await bench.store.get(account.id)).toBeNull()
})
