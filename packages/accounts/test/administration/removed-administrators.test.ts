import { setTimeout } from 'node:timers/promises'
import { createMemoryDocumentStore, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, invalidCredentials, refusalOf } from '../bench.ts'
import { cookieOf, identityOf } from '../own-account/mailed-links.ts'
import {
  type AroundAccounts,
  type AroundDocuments,
  createGate,
  delay,
  wrapDocumentStore,
} from '../stores/test-stores.ts'

const administration = {
  isAdministrator: ({ roles }: { readonly roles: readonly string[] }) => roles.includes('ADMIN'),
}

const removals = {
  setRoles: (bench: Bench, id: string) => bench.accounts.setRoles({ id, roles: ['READER'] }),
  disable: (bench: Bench, id: string) => bench.accounts.disable({ id }),
  lockAccount: (bench: Bench, id: string) => bench.accounts.lockAccount({ id }),
}

interface Around {
  readonly aroundAccounts?: AroundAccounts
  readonly aroundDocuments?: AroundDocuments
}

/** Opens a service with two administrators. */
async function openTwo({ aroundAccounts, aroundDocuments = (_method, run) => run() }: Around = {}) {
  const documents = wrapDocumentStore(createMemoryDocumentStore(), aroundDocuments)
  const options = { administration, documents, deletion: { onDelete: () => undefined } }
  const bench = createBench({ ...(aroundAccounts && { aroundAccounts }), options })
  const first = await bench.insert({ email: 'first@example.com', roles: ['ADMIN'] })
  const second = await bench.insert({ email: 'second@example.com', roles: ['ADMIN'] })
  const readAdministrators = async (): Promise<readonly string[]> =>
    (await bench.store.list()).items
      .filter(({ roles, status }) => roles.includes('ADMIN') && status === 'active')
      .map(({ id }) => id)
  return { bench, first, second, readAdministrators }
}

/** Something that the next swap of an account meets. */
function createSwapHook() {
  const next: (() => Promise<unknown>)[] = []
  const aroundAccounts: AroundAccounts = async (method, run) => {
    if (method === 'replace') await next.shift()?.()
    return run()
  }
  return { aroundAccounts, beforeNextSwap: (does: () => Promise<unknown>) => void next.push(does) }
}

const unavailable = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'it does not answer'))

describe('two administrators', () => {
  test.each(Object.entries(removals))('exactly one remains if %s is called for both at once', async (_name, remove) => {
    for (let round = 0; round < 20; round++) {
      const { bench, first, second, readAdministrators } = await openTwo({
        aroundAccounts: delay,
        aroundDocuments: delay,
      })
      const answers = await Promise.allSettled([first, second].map(({ id }) => remove(bench, id)))
      const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []))
      expect(refused).toEqual([expect.objectContaining({ code: 'LAST_ADMINISTRATOR' })])
      expect(await readAdministrators()).toHaveLength(1)
    }
  })

  test('exactly one remains if both are demoted and disabled at once', async () => {
    for (let round = 0; round < 40; round++) {
      const { bench, first, second, readAdministrators } = await openTwo({
        aroundAccounts: delay,
        aroundDocuments: delay,
      })
      const changes = [first, second].flatMap(({ id }) => [removals.setRoles(bench, id), removals.disable(bench, id)])
      await Promise.allSettled(changes)
      expect(await readAdministrators(), `round ${round}`).toHaveLength(1)
    }
  })

  test.each(Object.entries(removals))(
    'a removal by %s that is overtaken before its swap is refused, and its account stays an administrator',
    async (_name, remove) => {
      const { aroundAccounts, beforeNextSwap } = createSwapHook()
      const { bench, first, second, readAdministrators } = await openTwo({ aroundAccounts })
      const [reached, released] = [createGate(), createGate()]
      beforeNextSwap(() => {
        reached.open()
        return released.passed
      })
      const overtaken = refusalOf(remove(bench, first.id))
      await reached.passed
      expect(await remove(bench, second.id)).toMatchObject({ id: second.id })
      released.open()
      expect(await overtaken).toMatchObject({ code: 'LAST_ADMINISTRATOR' })
      expect(await readAdministrators()).toEqual([first.id])
    },
  )

  test.each(Object.entries(removals))(
    'a removal by %s whose process was killed before its swap prevents no other removal, and revokes the sessions of its account',
    async (_name, remove) => {
      const { aroundAccounts, beforeNextSwap } = createSwapHook()
      const { bench, first, second, readAdministrators } = await openTwo({ aroundAccounts })
      const signedIn = await bench.signIn({ email: first.email })
      beforeNextSwap(unavailable)
      expect(await refusalOf(remove(bench, first.id))).toMatchObject({ code: 'STORE_UNAVAILABLE' })
      expect(await readAdministrators()).toEqual([first.id, second.id])
      expect(await remove(bench, second.id)).toMatchObject({ id: second.id })
      expect(await readAdministrators()).toEqual([first.id])
      expect(await identityOf(bench, cookieOf(signedIn))).toBeNull()
      expect(await refusalOf(remove(bench, first.id))).toMatchObject({ code: 'LAST_ADMINISTRATOR' })
    },
  )

  test.each(Object.entries(removals))(
    'a removal by %s of which the answer of the swap is lost has removed its account, and the other is the last',
    async (_name, remove) => {
      const lost = { is: true }
      const { bench, first, second, readAdministrators } = await openTwo({
        async aroundAccounts(method, run) {
          const answer = await run()
          return method === 'replace' && lost.is ? unavailable() : answer
        },
      })
      expect(await refusalOf(remove(bench, first.id))).toMatchObject({ code: 'STORE_UNAVAILABLE' })
      lost.is = false
      expect(await refusalOf(remove(bench, second.id))).toMatchObject({ code: 'LAST_ADMINISTRATOR' })
      expect(await readAdministrators()).toEqual([second.id])
      expect(await bench.store.get(second.id)).toEqual(second)
    },
  )

  test('an account that gets its roles back while setRoles is called is refused as the last administrator', async () => {
    const { aroundAccounts, beforeNextSwap } = createSwapHook()
    const { bench, first, second, readAdministrators } = await openTwo({ aroundAccounts })
    await bench.store.replace(first.id, {}, { roles: [] })
    // The application refuses its deletion, and the other is removed.
    beforeNextSwap(async () => {
      await bench.store.replace(first.id, {}, { roles: ['ADMIN'] })
      await removals.setRoles(bench, second.id)
    })
    expect(await refusalOf(removals.setRoles(bench, first.id))).toMatchObject({ code: 'LAST_ADMINISTRATOR' })
    expect(await readAdministrators()).toEqual([first.id])
  })

  test('a deletion that is refused because its session was revoked keeps the sign-ins of its account', async () => {
    const { bench, first, second } = await openTwo()
    const [{ identity }, other] = [
      await bench.signIn({ email: first.email }),
      await bench.signIn({ email: first.email }),
    ]
    await bench.accounts.revokeSession({ subject: first.id, key: identity.key })
    expect(await bench.accounts.deleteAccount({ identity })).toEqual(invalidCredentials)
    expect(await removals.disable(bench, second.id)).toMatchObject({ status: 'disabled' })
    expect(await identityOf(bench, cookieOf(other))).toMatchObject({ roles: ['ADMIN'] })
  })
})

test('three removals at once are all made if a store takes 150 ms', async () => {
  const { bench, first, second } = await openTwo({
    async aroundDocuments(method, run) {
      if (method === 'removeByOwner') await setTimeout(150)
      return run()
    },
  })
  const others = [first, second, await bench.insert({ email: 'third@example.com', roles: ['ADMIN'] })]
  await bench.insert({ email: 'fourth@example.com', roles: ['ADMIN'] })
  const changes = others.map(async ({ id }, at) => {
    await setTimeout(at * 20)
    return removals.disable(bench, id)
  })
  const disabled = expect.objectContaining({ status: 'disabled' })
  expect(await Promise.all(changes)).toEqual([disabled, disabled, disabled])
})

test('changes of an account that is no administrator read and write no claim of a removal', async () => {
  const calls: string[] = []
  const { bench } = await openTwo({
    async aroundDocuments(method, run) {
      if (method !== 'removeByOwner') calls.push(method)
      return run()
    },
  })
  const { id } = await bench.insert({ email: 'reader@example.com' })
  for (const change of [removals.lockAccount, removals.setRoles, removals.disable]) await change(bench, id)
  await bench.accounts.setRoles({ id, roles: ['ADMIN'] })
  expect(calls).toEqual([])
})
