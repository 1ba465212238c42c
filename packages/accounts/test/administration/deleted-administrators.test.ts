import { createMemoryDocumentStore, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, invalidCredentials, refusalOf } from '../bench.ts'
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
    const { bench, owner, other, identify, readAdministrators } = await openOwner({
      async aroundAccounts(method, run) {
        if (method !== 'remove') return run()
        late.push(run)
        throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
      },
    })
    const deletion = bench.accounts.deleteAccount({ identity: await identify() })
    expect(await refusalOf(deletion)).toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await readAdministrators()).toEqual([owner.id, other.id])
    expect(await bench.accounts.disable({ id: other.id })).toMatchObject({ status: 'disabled' })
    expect(late).toHaveLength(1)
    for (const run of late) expect(await run()).toBe(false)
    expect(await readAdministrators()).toEqual([owner.id])
  })

  test('a removal of the row whose answer is lost leaves the other administrator as the last', async () => {
    const { bench, owner, other, identify, readAdministrators } = await openOwner({
      async aroundAccounts(method, run) {
        const answer = await run()
        if (method === 'remove') throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
        return answer
      },
    })
    const deletion = bench.accounts.deleteAccount({ identity: await identify() })
    expect(await refusalOf(deletion)).toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await bench.store.get(owner.id)).toBeNull()
    expect(await refusalOf(bench.accounts.disable({ id: other.id }))).toMatchObject({ code: 'LAST_ADMINISTRATOR' })
    expect(await readAdministrators()).toEqual([other.id])
  })

  test.each([
    ['', 0],
    [' at its second call', 2],
  ])(
    'an account is deleted and one administrator remains if the application refuses one of two deletions%s',
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
      released[1]?.open()
      expect(await made).toEqual({ ok: true })
      expect(await refusalOf(bench.accounts.disable({ id: other.id }))).toMatchObject({ code: 'LAST_ADMINISTRATOR' })
      expect(await readAdministrators()).toEqual([other.id])
      expect(await bench.store.get(owner.id)).toBeNull()
    },
  )

  test('an administrator keeps the roles if the application refuses both of two deletions', async () => {
    const { reached, released, hold } = createHeldCalls(2)
    const { bench, owner, other, identify, readAdministrators } = await openOwner({
      async onDelete() {
        await hold()
        throw new Error('there is an open invoice')
      },
    })
    const first = bench.accounts.deleteAccount({ identity: await identify() })
    await reached[0]?.passed
    const second = bench.accounts.deleteAccount({ identity: await identify() })
    await reached[1]?.passed
    for (const gate of released) gate.open()
    for (const deletion of [first, second]) await expect(deletion).rejects.toThrow('there is an open invoice')
    expect(await readAdministrators()).toEqual([owner.id, other.id])
    expect(await identify()).toMatchObject({ roles: ['ADMIN'] })
  })

  test.each([
    ['is disabled', (bench: Bench, id: string) => bench.accounts.disable({ id })],
    ['loses the role', (bench: Bench, id: string) => bench.accounts.setRoles({ id, roles: ['READER'] })],
  ])('an account that is the last administrator once the other one %s is not deleted', async (_what, remove) => {
    const { reached, released, hold } = createHeldCalls(1)
    const { bench, owner, other, identify, readAdministrators } = await openOwner({
      onDelete: async () => void (await hold()),
    })
    const deletion = bench.accounts.deleteAccount({ identity: await identify() })
    await reached[0]?.passed
    expect(await remove(bench, other.id)).toMatchObject({ id: other.id })
    released[0]?.open()
    expect(await refusalOf(deletion)).toMatchObject({ code: 'LAST_ADMINISTRATOR' })
    expect(await readAdministrators()).toEqual([owner.id])
    expect(await identify()).toMatchObject({ roles: ['ADMIN'] })
    expect(bench.events.map(({ type }) => type)).not.toContain('account.deleted')
  })

  test('an account that becomes the last administrator while the application deletes remains', async () => {
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
    expect(await refusalOf(deletion)).toMatchObject({ code: 'LAST_ADMINISTRATOR' })
    expect(await readAdministrators()).toEqual([owner.id])
  })

  test('roles that an administrator removes meanwhile stay removed if the application refuses the deletion', async () => {
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

  test('a former READER who becomes the last administrator before the row is removed remains', async () => {
    const { reached, released, hold } = createHeldCalls(1)
    const { bench, owner, other, identify, readAdministrators } = await openOwner({
      roles: ['READER'],
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
    expect(await refusalOf(deletion)).toMatchObject({ code: 'LAST_ADMINISTRATOR' })
    expect(await readAdministrators()).toEqual([owner.id])
  })

  test('an administrator who is the last one before the row is removed remains', async () => {
    const { reached, released, hold } = createHeldCalls(1)
    const { bench, owner, other, identify, readAdministrators } = await openOwner({
      async aroundAccounts(method, run) {
        if (method === 'remove') await hold()
        return run()
      },
    })
    const deletion = bench.accounts.deleteAccount({ identity: await identify() })
    await reached[0]?.passed
    // It waits for the removal that has been claimed, and raises the epoch of its account.
    await bench.accounts.setRoles({ id: other.id, roles: ['READER'] })
    released[0]?.open()
    expect(await refusalOf(deletion)).toMatchObject({ code: 'LAST_ADMINISTRATOR' })
    expect(await readAdministrators()).toEqual([owner.id])
  })

  test('an account that becomes the administrator before a removal that comes late remains', async () => {
    const late: (() => Promise<unknown>)[] = []
    const { bench, owner, other, identify, readAdministrators } = await openOwner({
      roles: ['READER'],
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
    expect(late).toHaveLength(1)
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

  test('an account that changes before each removal of the row is not deleted, and the answer is invalid-credentials', async () => {
    const made = { removals: 0 }
    const { bench, owner, identify } = await openOwner({
      async aroundAccounts(method, run) {
        if (method !== 'remove') return run()
        made.removals += 1
        await bench.accounts.setRoles({ id: owner.id, roles: [`READER_${made.removals}`] })
        return run()
      },
    })
    expect(await bench.accounts.deleteAccount({ identity: await identify() })).toEqual(invalidCredentials)
    expect(made.removals).toBe(10)
    expect(await bench.store.get(owner.id)).toMatchObject({ roles: ['READER_10'], status: 'active' })
    expect(bench.events.map(({ type }) => type)).not.toContain('account.deleted')
  })
})
