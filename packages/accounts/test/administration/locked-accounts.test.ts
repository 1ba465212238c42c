import { unknownAttempt } from '@latchkey/accounts'
import { createMemoryDocumentStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, email, invalidCredentials, password, refusalOf } from '../bench.ts'
import { cookieOf, identityOf, mailsTo } from '../own-account/mailed-links.ts'

const administration = {
  isAdministrator: ({ roles }: { readonly roles: readonly string[] }) => roles.includes('ADMIN'),
}
const admin = 'admin@example.com'

async function openAdministered({ options = {}, ...around }: Parameters<typeof createBench>[0] = {}) {
  const documents = createMemoryDocumentStore()
  const bench = createBench({ ...around, options: { administration, documents, ...options } })
  const account = await bench.insert()
  const administrator = await bench.insert({ email: admin, roles: ['ADMIN'] })
  return { bench, account, administrator, actorId: administrator.id }
}

const command = { ...unknownAttempt, channel: 'command' } as const

describe('an account that is locked', () => {
  test('lockAccount revokes sessions at once and mails the owner, and unlockAccount restores none of them', async () => {
    const { bench, account, actorId } = await openAdministered()
    const { id } = account
    const signedIn = await bench.signIn()
    expect(await bench.accounts.lockAccount({ id, actorId })).toMatchObject({ id, status: 'locked' })
    expect(await identityOf(bench, cookieOf(signedIn))).toBeNull()
    expect(await bench.accounts.signIn({ email, password, delivery: 'session' })).toEqual(invalidCredentials)
    const [told] = await mailsTo(bench, email)
    expect(told).toMatchObject({ kind: 'account-locked', data: { reason: 'administrator' }, url: null })
    expect(await bench.accounts.unlockAccount({ id, actorId })).toMatchObject({ id, status: 'active' })
    expect(await identityOf(bench, cookieOf(signedIn))).toBeNull()
    expect(await bench.accounts.signIn({ email, password, delivery: 'session' })).toMatchObject({ ok: true })
    const types = bench.events.map(({ type }) => type)
    expect(types.filter((type) => type.startsWith('account.'))).toEqual(['account.locked', 'account.unlocked'])
  })

  test.each(['disabled', 'unverified', 'locked'] as const)(
    'lockAccount leaves an account that is %s unchanged',
    async (status) => {
      const { bench, actorId } = await openAdministered()
      const { id } = await bench.insert({ email: 'other@example.com', status })
      const before = await bench.store.get(id)
      expect(await bench.accounts.lockAccount({ id, actorId })).toMatchObject({ id, status })
      expect(await bench.store.get(id)).toEqual(before)
      await bench.accounts.settled()
      expect([bench.outbox, bench.events]).toEqual([[], []])
    },
  )

  test.each(['disabled', 'unverified', 'active'] as const)(
    'unlockAccount leaves an account that is %s unchanged',
    async (status) => {
      const { bench, actorId } = await openAdministered()
      const { id } = await bench.insert({ email: 'other@example.com', status })
      const before = await bench.store.get(id)
      expect(await bench.accounts.unlockAccount({ id, actorId })).toMatchObject({ id, status })
      expect(await bench.store.get(id)).toEqual(before)
    },
  )

  test('lockAccount and unlockAccount return null for an unknown account', async () => {
    const { bench, actorId } = await openAdministered()
    for (const change of [bench.accounts.lockAccount, bench.accounts.unlockAccount]) {
      expect(await change({ id: 'acc_none', actorId })).toBeNull()
    }
    expect(bench.events).toEqual([])
  })
})

describe('an administrator', () => {
  const changes = {
    lockAccount: (bench: Bench, id: string, actorId: string) => bench.accounts.lockAccount({ id, actorId }),
    disable: (bench: Bench, id: string, actorId: string) => bench.accounts.disable({ id, actorId }),
  }

  test.each(Object.entries(changes))('an administrator cannot close the own account by %s', async (_name, change) => {
    const { bench, administrator, actorId } = await openAdministered()
    await bench.insert({ email: 'second@example.com', roles: ['ADMIN'] })
    expect(await refusalOf(change(bench, actorId, actorId))).toMatchObject({ code: 'CANNOT_CHANGE_OWN_ACCOUNT' })
    expect(await bench.store.get(actorId)).toEqual(administrator)
    expect(bench.events).toEqual([])
  })

  const removals = {
    ...changes,
    setRoles: (bench: Bench, id: string, actorId: string) =>
      bench.accounts.setRoles({ id, roles: ['READER'], actorId }),
  }

  test.each(Object.entries(removals))('the last administrator is not lost by %s', async (_name, change) => {
    const { bench, account, administrator } = await openAdministered()
    await bench.insert({ email: 'closed@example.com', roles: ['ADMIN'], status: 'disabled' })
    await bench.signIn({ email: admin })
    expect(await refusalOf(change(bench, administrator.id, account.id))).toMatchObject({ code: 'LAST_ADMINISTRATOR' })
    expect(await bench.store.get(administrator.id)).toEqual(administrator)
    expect(await bench.accounts.listSessions(administrator.id)).toHaveLength(1)
  })

  test.each(Object.entries(removals))(
    'an administrator may be lost by %s while another remains',
    async (_name, change) => {
      const { bench, account, administrator } = await openAdministered()
      for (let index = 0; index < 150; index++) await bench.insert({ email: `reader${index}@example.com` })
      await bench.insert({ email: 'second@example.com', roles: ['ADMIN'] })
      expect(await change(bench, administrator.id, account.id)).toMatchObject({ id: administrator.id })
      expect(await bench.store.get(administrator.id)).not.toEqual(administrator)
    },
  )

  test.each([
    ['one call of a store that lists who holds roles', true, ['listRoleHolders']],
    ['pages of a store that does not', false, ['list', 'list']],
  ])('another administrator is found by %s', async (_what, knowsHolders, expected) => {
    const calls: string[] = []
    const { bench, administrator } = await openAdministered({
      async aroundAccounts(method, run) {
        if (/^list/.test(method)) calls.push(method)
        return run()
      },
      knowsHolders,
    })
    for (let index = 0; index < 150; index++) await bench.insert({ email: `reader${index}@example.com` })
    const { id: actorId } = await bench.insert({ email: 'second@example.com', roles: ['ADMIN'] })
    expect(await bench.accounts.lockAccount({ id: administrator.id, actorId })).toMatchObject({ status: 'locked' })
    expect(calls).toEqual(expected)
    expect(await refusalOf(bench.accounts.setRoles({ id: actorId, roles: ['READER'] }))).toMatchObject({
      code: 'LAST_ADMINISTRATOR',
    })
  })

  test('the operator of the service may close the last administrator', async () => {
    const { bench, administrator } = await openAdministered()
    const locked = bench.accounts.lockAccount({ id: administrator.id, attempt: command })
    expect(await locked).toMatchObject({ status: 'locked' })
  })

  test('the last administrator may get a further role', async () => {
    const { bench, administrator, actorId } = await openAdministered()
    const changed = bench.accounts.setRoles({ id: administrator.id, roles: ['ADMIN', 'EDITOR'], actorId })
    expect(await changed).toMatchObject({ roles: ['ADMIN', 'EDITOR'] })
  })

  test.each([
    ['"administration.isAdministrator" must be a function', { administration: {} }],
    [
      '"administration" has no option "isAdmin". Did you mean "isAdministrator"?',
      { administration: { isAdmin: () => true } },
    ],
    ['"administration" needs "documents"', { administration }],
  ])('invalid options are refused at the factory: %s', (message, options) => {
    expect(() => createBench({ options: options as never })).toThrow(new TypeError(message))
  })
})

describe('endSessions of an administrator', () => {
  test('revokes all sessions of an account, returns their number, and leaves the account unchanged', async () => {
    const { bench, account, actorId } = await openAdministered()
    const signedIn = await bench.signIn()
    await bench.signIn({ delivery: 'token' })
    expect(await bench.accounts.endSessions({ id: account.id, actorId })).toBe(2)
    expect(await identityOf(bench, cookieOf(signedIn))).toBeNull()
    expect(await bench.store.get(account.id)).toEqual({ ...account, epoch: 1 })
    expect(bench.events.findLast(({ type }) => type === 'sessions.ended')).toMatchObject({ accountId: account.id })
  })
})
