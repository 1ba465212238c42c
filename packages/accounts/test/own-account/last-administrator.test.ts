import { createMemoryDocumentStore, StoreError } from '@latchkey/store'
import { describe, expect, test, vi } from 'vitest'
import { type BenchOptions, createBench, email, refusalOf } from '../bench.ts'
import { delay } from '../stores/test-stores.ts'
import { cookieOf, identityOf } from './mailed-links.ts'

const administration = {
  isAdministrator: ({ roles }: { readonly roles: readonly string[] }) => roles.includes('ADMIN'),
}
const otherEmail = 'other@example.com'

async function openAdministrator(
  onDelete: (account: { readonly roles: readonly string[] }) => void | Promise<void> = () => {},
  around: Pick<BenchOptions, 'aroundAccounts' | 'aroundRecords'> = {},
) {
  const bench = createBench({
    ...around,
    options: { administration, documents: createMemoryDocumentStore(), deletion: { onDelete } },
  })
  const account = await bench.insert({ roles: ['ADMIN'] })
  const signedIn = await bench.signIn()
  return { bench, account, signedIn, identity: signedIn.identity }
}

describe('the deletion of an administrator', () => {
  test('the last administrator cannot delete the account and keeps its roles and session', async () => {
    const onDelete = vi.fn()
    const { bench, account, signedIn, identity } = await openAdministrator(onDelete)
    await bench.insert({ email: otherEmail, roles: ['READER'] })
    expect(await refusalOf(bench.accounts.deleteAccount({ identity }))).toMatchObject({ code: 'LAST_ADMINISTRATOR' })
    expect(await bench.store.get(account.id)).toEqual(account)
    expect(await identityOf(bench, cookieOf(signedIn))).toMatchObject({ roles: ['ADMIN'] })
    expect(onDelete).not.toHaveBeenCalled()
    expect(bench.events.map(({ type }) => type)).not.toContain('account.deleted')
  })

  test.each(['locked', 'disabled', 'unverified'] as const)(
    'a deletion is refused if the other administrator is %s',
    async (status) => {
      const { bench, account, identity } = await openAdministrator()
      await bench.insert({ email: otherEmail, roles: ['ADMIN'], status })
      expect(await refusalOf(bench.accounts.deleteAccount({ identity }))).toMatchObject({ code: 'LAST_ADMINISTRATOR' })
      expect(await bench.store.get(account.id)).toEqual(account)
    },
  )

  test('an administrator can be deleted while another remains, and the application sees the former roles', async () => {
    const onDelete = vi.fn()
    const { bench, account, identity } = await openAdministrator(onDelete)
    await bench.insert({ email: otherEmail, roles: ['ADMIN'] })
    expect(await bench.accounts.deleteAccount({ identity })).toEqual({ ok: true })
    expect(await bench.store.get(account.id)).toBeNull()
    expect(onDelete).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id: account.id, roles: ['ADMIN'] }))
  })

  test('an administrator stays signed in if the application refuses the deletion', async () => {
    const { bench, account, signedIn, identity } = await openAdministrator(() => {
      throw new Error('there is an open invoice')
    })
    await bench.insert({ email: otherEmail, roles: ['ADMIN'] })
    await expect(bench.accounts.deleteAccount({ identity })).rejects.toThrow('there is an open invoice')
    expect(await bench.store.get(account.id)).toMatchObject({ roles: ['ADMIN'], status: 'active' })
    expect(await identityOf(bench, cookieOf(signedIn))).toMatchObject({ roles: ['ADMIN'] })
  })

  test('an administrator keeps the roles while the application deletes', async () => {
    const seen: unknown[] = []
    const { bench, account, signedIn, identity } = await openAdministrator(async () => {
      seen.push((await identityOf(bench, cookieOf(signedIn)))?.roles)
    })
    await bench.insert({ email: otherEmail, roles: ['ADMIN'] })
    expect(await bench.accounts.deleteAccount({ identity })).toEqual({ ok: true })
    expect(seen).toEqual([['ADMIN']])
    expect(await bench.store.get(account.id)).toBeNull()
  })

  test('an administrator keeps the roles if the application refuses after the owner has revoked all other sessions', async () => {
    const { bench, account, identity } = await openAdministrator(async () => {
      expect(await bench.accounts.revokeAllSessions({ identity })).toBe(0)
      throw new Error('there is an open invoice')
    })
    await bench.insert({ email: otherEmail, roles: ['ADMIN'] })
    await expect(bench.accounts.deleteAccount({ identity })).rejects.toThrow('there is an open invoice')
    expect(await bench.store.get(account.id)).toMatchObject({ roles: ['ADMIN'], epoch: 2 })
  })

  test('an administrator keeps the roles and session if the store fails as the others are revoked', async () => {
    const down = { is: false }
    const onDelete = vi.fn()
    const { bench, account, signedIn, identity } = await openAdministrator(onDelete, {
      async aroundRecords(method, run) {
        if (down.is && method === 'removeByOwner') throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
        return run()
      },
    })
    await bench.insert({ email: otherEmail, roles: ['ADMIN'] })
    down.is = true
    expect(await refusalOf(bench.accounts.deleteAccount({ identity }))).toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(onDelete).not.toHaveBeenCalled()
    expect(await bench.store.get(account.id)).toMatchObject({ roles: ['ADMIN'], status: 'active' })
    expect(await identityOf(bench, cookieOf(signedIn))).toMatchObject({ roles: ['ADMIN'] })
  })

  test('an administrator keeps the roles after an interrupted deletion, which can be requested again', async () => {
    const down = { is: false, once: true }
    const { bench, account, signedIn, identity } = await openAdministrator(
      () => {
        down.is = down.once
      },
      {
        async aroundAccounts(_method, run) {
          if (down.is) throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
          return run()
        },
      },
    )
    await bench.insert({ email: otherEmail, roles: ['ADMIN'] })
    await expect(bench.accounts.deleteAccount({ identity })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    down.is = false
    expect(await bench.store.get(account.id)).toMatchObject({
      roles: ['ADMIN'],
      status: 'active',
      keptKey: identity.key,
    })
    const again = await identityOf(bench, cookieOf(signedIn))
    if (!again) throw new Error('the session has ended')
    down.once = false
    expect(await bench.accounts.deleteAccount({ identity: again })).toEqual({ ok: true })
  })

  test('one of two administrators who delete themselves at the same moment remains', async () => {
    for (let round = 0; round < 20; round++) {
      const { bench, account, identity } = await openAdministrator(undefined, {
        aroundAccounts: delay,
        aroundRecords: delay,
      })
      const other = await bench.insert({ email: otherEmail, roles: ['ADMIN'] })
      const { identity: otherIdentity } = await bench.signIn({ email: otherEmail })
      await Promise.allSettled([identity, otherIdentity].map((one) => bench.accounts.deleteAccount({ identity: one })))
      const left = await Promise.all([account.id, other.id].map((id) => bench.store.get(id)))
      const open = left.filter((one) => one?.status === 'active' && one.roles.includes('ADMIN'))
      expect(open.length, `round ${round}`).toBeGreaterThan(0)
    }
  })

  test('an account without administration can be deleted even if no administrator exists', async () => {
    const { bench, account } = await openAdministrator()
    await bench.store.remove(account.id)
    await bench.insert({ email: otherEmail, roles: ['READER'] })
    const { identity } = await bench.signIn({ email: otherEmail })
    expect(await bench.accounts.deleteAccount({ identity })).toEqual({ ok: true })
  })

  test('an account without administration can be deleted', async () => {
    const { bench } = await openAdministrator()
    await bench.insert({ email: otherEmail, roles: ['READER'] })
    const { identity } = await bench.signIn({ email: otherEmail })
    expect(await bench.accounts.deleteAccount({ identity })).toEqual({ ok: true })
    expect(await bench.store.getByEmail(email)).toMatchObject({ roles: ['ADMIN'] })
  })
})
