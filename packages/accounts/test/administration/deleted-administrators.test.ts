import { createMemoryDocumentStore, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createBench, invalidCredentials, refusalOf } from '../bench.ts'
import { cookieOf, identityOf } from '../own-account/mailed-links.ts'
import { type AroundAccounts, createGate } from '../stores/test-stores.ts'

const isAdministrator = ({ roles }: { readonly roles: readonly string[] }) => roles.includes('ADMIN')

interface Around {
  readonly onDelete?: () => Promise<void> | void
  readonly aroundAccounts?: AroundAccounts
  /** The roles of the owner. @default administrator */
  readonly roles?: readonly string[]
}

/** Opens a service with an administrator and the owner of another account, who is signed in. */
async function openOwner({ onDelete = () => undefined, aroundAccounts, roles = ['ADMIN'] }: Around = {}) {
  const bench = createBench({
    ...(aroundAccounts && { aroundAccounts }),
    options: { administration: { isAdministrator }, documents: createMemoryDocumentStore(), deletion: { onDelete } },
  })
  const owner = await bench.insert({ email: 'owner@example.com', roles })
  const other = await bench.insert({ email: 'other@example.com', roles: ['ADMIN'] })
  const signedIn = await bench.signIn({ email: owner.email })
  const identify = async () => {
    const identity = await identityOf(bench, cookieOf(signedIn))
    if (!identity) throw new Error('the session has ended')
    return identity
  }
  const readAdministrators = async (): Promise<readonly string[]> =>
    (await bench.store.list()).items
      .filter((account) => isAdministrator(account) && account.status === 'active')
      .map(({ id }) => id)
  return { bench, owner, other, identify, readAdministrators }
}

/** Calls that are held one by one: `reached[n]` is open when call `n` waits, until `released[n]` is opened. */
function createHeldCalls(count: number) {
  const reached = Array.from({ length: count }, createGate)
  const released = Array.from({ length: count }, createGate)
  let call = 0
  const hold = async (): Promise<number> => {
    const at = call++
    reached[at]?.open()
    await released[at]?.passed
    return at
  }
  return { reached, released, hold }
}

describe('the deletion of an account while administrators change', () => {
  test('one administrator remains if the removal of the row comes after its failure was reported', async () => {
    const late: (() => Promise<unknown>)[] = []
    const { bench, other, identify, readAdministrators } = await openOwner({
      async aroundAccounts(method, run) {
        if (method !== 'remove') return run()
        late.push(run)
        throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
      },
    })
    const deletion = bench.accounts.deleteAccount({ identity: await identify() })
    expect(await refusalOf(deletion)).toMatchObject({ code: 'STORE_UNAVAILABLE' })
    const removal = bench.accounts.disable({ id: other.id })
    expect(await refusalOf(removal)).toMatchObject({ code: 'LAST_ADMINISTRATOR' })
    for (const run of late) await run()
    expect(await readAdministrators()).toEqual([other.id])
  })

  test.each([
    ['', 0],
    [' at its second call', 2],
  ])(
    'one administrator remains if the application refuses one of two deletions of the same account%s',
    async (_when, refusedCall) => {
      const { reached, released, hold } = createHeldCalls(2)
      const { bench, owner, other, identify, readAdministrators } = await openOwner({
        async onDelete() {
          if ((await hold()) === refusedCall) throw new Error('there is an open invoice')
        },
      })
      const refused = bench.accounts.deleteAccount({ identity: await identify() })
      await reached[0]?.passed
      const made = bench.accounts.deleteAccount({ identity: await identify() })
      await reached[1]?.passed
      // A sign-in makes the first deletion call the application again.
      if (refusedCall > 0) await bench.signIn({ email: owner.email })
      released[0]?.open()
      await expect(refused).rejects.toThrow('there is an open invoice')
      const removal = bench.accounts.disable({ id: other.id })
      await removal.catch(() => undefined)
      released[1]?.open()
      await made
      expect(await readAdministrators()).not.toEqual([])
      expect(await bench.store.get(owner.id)).toBeNull()
    },
  )

  test('a deletion that has read its account without roles is refused if these are given back', async () => {
    const { reached, released, hold } = createHeldCalls(1)
    const carried: { does?: () => Promise<unknown> } = {}
    const { bench, owner, other, identify, readAdministrators } = await openOwner({
      async onDelete() {
        if ((await hold()) === 0) throw new Error('there is an open invoice')
      },
      async aroundAccounts(method, run) {
        const found = await run()
        if (method === 'get') {
          const { does } = carried
          delete carried.does
          await does?.()
        }
        return found
      },
    })
    const refused = bench.accounts.deleteAccount({ identity: await identify() })
    await reached[0]?.passed
    const identity = await identify()
    carried.does = async () => {
      released[0]?.open()
      await expect(refused).rejects.toThrow('there is an open invoice')
      await bench.accounts.disable({ id: other.id })
    }
    expect(await bench.accounts.deleteAccount({ identity })).toEqual(invalidCredentials)
    expect(await readAdministrators()).toEqual([owner.id])
  })

  test('an account that becomes the administrator while the application deletes remains', async () => {
    const { reached, released, hold } = createHeldCalls(1)
    const { bench, owner, other, identify, readAdministrators } = await openOwner({
      roles: ['READER'],
      onDelete: async () => void (await hold()),
    })
    const deletion = bench.accounts.deleteAccount({ identity: await identify() })
    await reached[0]?.passed
    await bench.accounts.setRoles({ id: owner.id, roles: ['ADMIN'] })
    await bench.accounts.setRoles({ id: other.id, roles: ['READER'] })
    released[0]?.open()
    expect(await deletion).toEqual(invalidCredentials)
    expect(await readAdministrators()).toEqual([owner.id])
  })

  test('roles that an administrator removes meanwhile are not given back if the application refuses the deletion', async () => {
    const { reached, released, hold } = createHeldCalls(1)
    const { bench, owner, other, identify, readAdministrators } = await openOwner({
      async onDelete() {
        await hold()
        throw new Error('there is an open invoice')
      },
    })
    const deletion = bench.accounts.deleteAccount({ identity: await identify() })
    await reached[0]?.passed
    expect(await bench.accounts.setRoles({ id: owner.id, roles: [] })).toMatchObject({ roles: [] })
    released[0]?.open()
    await expect(deletion).rejects.toThrow('there is an open invoice')
    expect(await bench.store.get(owner.id)).toMatchObject({ roles: [] })
    expect(await readAdministrators()).toEqual([other.id])
  })

  test.each(['READER', 'ADMIN'])(
    'a former %s who becomes the administrator before the row is removed remains',
    async (role) => {
      const { reached, released, hold } = createHeldCalls(1)
      const { bench, owner, other, identify, readAdministrators } = await openOwner({
        roles: [role],
        async aroundAccounts(method, run) {
          if (method === 'remove') await hold()
          return run()
        },
      })
      const deletion = bench.accounts.deleteAccount({ identity: await identify() })
      await reached[0]?.passed
      await bench.accounts.setRoles({ id: owner.id, roles: ['ADMIN'] })
      await bench.accounts.setRoles({ id: other.id, roles: ['READER'] })
      released[0]?.open()
      expect(await deletion).toEqual(invalidCredentials)
      expect(await readAdministrators()).toEqual([owner.id])
    },
  )

  test('an account that becomes the administrator before a removal that comes late remains', async () => {
    const late: (() => Promise<unknown>)[] = []
    const { bench, owner, other, identify, readAdministrators } = await openOwner({
      async aroundAccounts(method, run) {
        if (method !== 'remove') return run()
        late.push(run)
        throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
      },
    })
    const deletion = bench.accounts.deleteAccount({ identity: await identify() })
    expect(await refusalOf(deletion)).toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await bench.accounts.setRoles({ id: owner.id, roles: ['ADMIN'] })
    await bench.accounts.setRoles({ id: other.id, roles: ['READER'] })
    for (const run of late) expect(await run()).toBe(false)
    expect(await readAdministrators()).toEqual([owner.id])
  })

  test('an account whose other fields change before the row is removed is removed', async () => {
    const { reached, released, hold } = createHeldCalls(1)
    const { bench, owner, identify } = await openOwner({
      async aroundAccounts(method, run) {
        if (method === 'remove') await hold()
        return run()
      },
    })
    const deletion = bench.accounts.deleteAccount({ identity: await identify() })
    await reached[0]?.passed
    await bench.accounts.setRoles({ id: owner.id, roles: ['READER'] })
    released[0]?.open()
    expect(await deletion).toEqual({ ok: true })
    expect(await bench.store.get(owner.id)).toBeNull()
  })
})
