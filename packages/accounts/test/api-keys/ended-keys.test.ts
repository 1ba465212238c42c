import { createMemoryDocumentStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { newPassword, password } from '../bench.ts'
import { openKeys } from './keys-bench.ts'

type Opened = Awaited<ReturnType<typeof openKeys>>

const resetToken = async ({ bench }: Opened): Promise<string> => {
  await bench.accounts.requestPasswordReset({ email: 'reader@example.com' })
  return bench.mailedToken()
}

const changeAddress = async ({ bench, identity }: Opened) => {
  await bench.accounts.requestEmailChange({ identity, newEmail: 'new@example.com' })
  await bench.accounts.settled()
  const tokenOf = (kind: string) => {
    const mail = bench.outbox.findLast((sent) => sent.kind === kind)
    return new URL(mail?.url ?? '').searchParams.get('token') ?? ''
  }
  return { confirm: tokenOf('confirm-email-change'), undo: tokenOf('email-change-notice') }
}

/** What ends every key of an account for good. */
const ends: Readonly<Record<string, (opened: Opened) => Promise<unknown>>> = {
  'the end of all sessions': ({ bench, identity }) =>
    bench.accounts.revokeAllSessions({ identity, exceptCurrent: false }),
  'the end of all other sessions': ({ bench, identity }) => bench.accounts.revokeAllSessions({ identity }),
  'the end of all sessions by an administrator': ({ bench, account }) => bench.accounts.endSessions({ id: account.id }),
  'a change of the password': ({ bench, identity }) =>
    bench.accounts.changePassword({ identity, currentPassword: password, newPassword }),
  'a reset of the password': async (opened) =>
    opened.bench.accounts.resetPassword({ token: await resetToken(opened), newPassword }),
  'a change of the address': async (opened) =>
    opened.bench.accounts.confirmEmailChange({ token: (await changeAddress(opened)).confirm }),
  'an undone change of the address': async (opened) => {
    const { undo } = await changeAddress(opened)
    return opened.bench.accounts.undoEmailChange({ token: undo })
  },
  'a lock': async ({ bench, account }) => {
    await bench.accounts.lockAccount({ id: account.id })
    await bench.accounts.unlockAccount({ id: account.id })
  },
  'a deactivation': async ({ bench, account }) => {
    await bench.accounts.disable({ id: account.id })
    await bench.accounts.enable({ id: account.id })
  },
  'a deletion': ({ bench, identity }) => bench.accounts.deleteAccount({ identity }),
}

const deletion = { onDelete: () => undefined }

describe('an API key', () => {
  test.each(Object.entries(ends))('an API key is revoked for ever by %s', async (_name, end) => {
    const opened = await openKeys({ deletion })
    const { key } = await opened.bench.create(opened.identity)
    expect(await opened.bench.accounts.identifyApiKey({ key })).not.toBeNull()
    await end(opened)
    expect(await opened.bench.accounts.identifyApiKey({ key })).toBeNull()
    expect((await opened.documents.list('api-keys')).items).toEqual([])
  })

  test.each(Object.entries(ends))('an API key created during %s is not accepted afterwards', async (_name, end) => {
    const documents = createMemoryDocumentStore()
    const late = { create: async (): Promise<unknown> => null }
    const opened = await openKeys({
      deletion,
      documents: {
        ...documents,
        async removeByOwner(owner, options) {
          const removed = await documents.removeByOwner(owner, options)
          const { create } = late
          late.create = async () => null
          await create()
          return removed
        },
      },
    })
    const keys: string[] = []
    late.create = async () => {
      keys.push((await opened.bench.create(opened.identity)).key)
    }
    await end(opened)
    expect(keys).toHaveLength(1)
    expect(await opened.bench.accounts.identifyApiKey({ key: keys[0] ?? '' })).toBeNull()
  })

  test.each(Object.entries(ends).filter(([name]) => !/lock|deactivation/.test(name)))(
    'an API key is revoked before %s takes effect, and a failing store prevents the change',
    async (_name, end) => {
      const documents = createMemoryDocumentStore()
      const state = { fails: false }
      const opened = await openKeys({
        deletion,
        documents: {
          ...documents,
          removeByOwner: (owner, options) =>
            state.fails ? Promise.reject(new Error('the store is down')) : documents.removeByOwner(owner, options),
        },
      })
      const { bench, account, identity } = opened
      const { key } = await bench.create(identity)
      state.fails = true
      await expect(end(opened)).rejects.toThrow('the store is down')
      expect(await bench.store.get(account.id)).toEqual(account)
      expect(await bench.accounts.identifyApiKey({ key })).not.toBeNull()
    },
  )

  test.each([
    ['disable', 'enable'],
    ['lockAccount', 'unlockAccount'],
  ] as const)(
    'an API key created during %s is revoked for good, although a store failed and %s follows the repetition',
    async (close, open) => {
      const documents = createMemoryDocumentStore()
      let removals = Number.NEGATIVE_INFINITY
      const keys: string[] = []
      const opened = await openKeys({
        documents: {
          ...documents,
          async removeByOwner(owner, options) {
            removals += 1
            if (removals === 2) throw new Error('the store is down')
            const removed = await documents.removeByOwner(owner, options)
            if (removals === 1) keys.push((await opened.bench.create(opened.identity)).key)
            return removed
          },
        },
      })
      const { accounts } = opened.bench
      const of = { id: opened.account.id }
      removals = 0
      await expect(accounts[close](of)).rejects.toThrow('the store is down')
      await accounts[close](of)
      expect(await accounts[open](of)).toMatchObject({ status: 'active' })
      expect(keys).toHaveLength(1)
      expect(await accounts.identifyApiKey({ key: keys[0] ?? '' })).toBeNull()
    },
  )

  test('an API key stays valid over a change of roles, with the permissions of the new roles', async () => {
    const { bench, account, identity } = await openKeys()
    const { key } = await bench.create(identity)
    await bench.accounts.setRoles({ id: account.id, roles: ['EDITOR'] })
    expect(await bench.accounts.identifyApiKey({ key })).toMatchObject({ facts: { roles: ['EDITOR'] } })
  })

  test('an API key stays valid when the factors of its account are reset', async () => {
    const { bench, account, identity } = await openKeys()
    const { key } = await bench.create(identity)
    await bench.accounts.resetFactors({ id: account.id })
    expect(await bench.accounts.identifyApiKey({ key })).not.toBeNull()
  })

  test('an API key of another account stays valid', async () => {
    const { bench, account, identity } = await openKeys()
    await bench.insert({ email: 'other@example.com' })
    const other = await bench.signIn({ email: 'other@example.com' })
    const { key } = await bench.create(other.identity)
    await bench.create(identity)
    await bench.accounts.endSessions({ id: account.id })
    expect(await bench.accounts.identifyApiKey({ key })).not.toBeNull()
  })

  test('an API key is exported without its secret', async () => {
    const { bench, identity } = await openKeys()
    const { key } = await bench.create(identity)
    const exported = await bench.accounts.exportAccount({ identity })
    expect(JSON.parse(exported ?? '').apiKeys).toMatchObject([{ name: 'Export', start: key.slice(0, 8) }])
    expect(exported).not.toContain(key.slice(19, 62))
  })
})
