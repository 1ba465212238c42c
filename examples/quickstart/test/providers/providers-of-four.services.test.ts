import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { passwords } from '../links/link-process.ts'
import { backends, timeout } from '../links/shared-stores.ts'
import type { Begun, Callback, Outcome } from './provider-process.ts'
import { useProviderProcesses } from './use-provider-processes.ts'

// What is done once is done once at four processes of one service, whose users sign in with another one.

const many = 50
const password = 'otters read quietly at dawn'
const results = (outcomes: readonly Outcome[]) => outcomes.map(({ result }) => result)

describe.each(backends)('fifty requests at four processes on %s', (backend) => {
  const { stores, provider, begin, beginLinks, signInAll, useAll } = useProviderProcesses(backend)

  /** Returns the callbacks of a user who goes where the sign-ins lead. */
  async function visitAll(begun: readonly Begun[], visit: (address: string) => Promise<string>) {
    const callbacks: Callback[] = []
    for (const { url, cookie } of begun) callbacks.push({ url: await visit(url), cookie })
    return callbacks
  }

  async function sessionsOf(accountId: string): Promise<number> {
    const { items } = await stores().records.listByOwner(accountId)
    return items.filter(({ key }) => key.startsWith('se_')).length
  }

  /** The issuers of the providers that an account is linked to. */
  async function issuersOf(accountId: string): Promise<readonly string[]> {
    const { items } = await stores().documents.listByOwner(accountId, { collections: ['provider-link'] })
    return items.map(({ value }) => JSON.parse(value).issuer)
  }

  /** The account that an address has, and no other one. */
  async function accountOf(email: string): Promise<string> {
    const account = await stores().accounts.getByEmail(email)
    return account?.id ?? 'none'
  }

  test(
    'callbacks of one transaction sign in once, with one session',
    async () => {
      const { email, visit } = await provider().openUser()
      const [callback] = await visitAll(await begin(1), visit)
      if (!callback) throw new Error('nothing has begun')
      const outcomes = await signInAll(Array.from({ length: many }, () => callback))
      expect(results(outcomes).toSorted()).toEqual(['signed-in', ...Array(many - 1).fill('used')])
      const accountId = await accountOf(email)
      expect(outcomes.filter((outcome) => outcome.accountId !== null)).toMatchObject([{ accountId }])
      expect(await sessionsOf(accountId)).toBe(1)
      // Nor is it worth anything later, at any process.
      expect(results(await signInAll([callback, callback, callback, callback]))).toEqual(Array(4).fill('used'))
      expect(await sessionsOf(accountId)).toBe(1)
    },
    timeout,
  )

  test(
    'first sign-ins of one user, all that sign in are of one account with one link',
    async () => {
      const { email, visit } = await provider().openUser()
      const callbacks = await visitAll(await begin(many), visit)
      const outcomes = await useAll(callbacks)
      const accountId = await accountOf(email)
      expect(await issuersOf(accountId)).toEqual([provider().issuer])
      const signedIn = outcomes.filter(({ result }) => result === 'signed-in')
      expect(signedIn.length).toBeGreaterThan(0)
      expect(new Set(signedIn.map((outcome) => outcome.accountId))).toEqual(new Set([accountId]))
      expect(await sessionsOf(accountId)).toBe(signedIn.length)
      // Who comes between the link and the account of it is refused, and can sign in again.
      const refusals = results(outcomes).filter((result) => result !== 'signed-in')
      expect(refusals.filter((result) => result !== 'invalid-credentials')).toEqual([])
      const again = await useAll(await visitAll(await begin(4), visit))
      expect(again).toEqual(Array(4).fill({ result: 'signed-in', accountId }))
    },
    timeout,
  )

  test(
    'links of one user to two accounts, one is made',
    async () => {
      const owners = [await insertOwner(), await insertOwner()]
      const { visit } = await provider().openUser()
      const begun = await beginLinks(
        Array.from({ length: many }, (_none, nth) => owners[nth % 2]?.email ?? ''),
        password,
      )
      const outcomes = await useAll(await visitAll(begun, visit))
      const linked = outcomes.filter(({ result }) => result === 'linked')
      expect(linked).toHaveLength(1)
      const issuers = await Promise.all(owners.map(async ({ id }) => [id, await issuersOf(id)] as const))
      const expected = { [linked[0]?.accountId ?? '']: [provider().issuer] }
      expect(Object.fromEntries(issuers.filter(([, found]) => found.length > 0))).toEqual(expected)
      const others = new Set(results(outcomes).filter((result) => result !== 'linked'))
      expect([...others].filter((result) => !['PROVIDER_IN_USE', 'invalid-credentials'].includes(result))).toEqual([])
    },
    timeout,
  )

  async function insertOwner() {
    const id = `acc_${randomUUID()}`
    const account = { id, email: `${id}@example.com`, name: 'Eve', roles: ['READER'], epoch: 0 }
    await stores().accounts.insert({ ...account, passwordHash: await passwords.hash(password), status: 'active' })
    return account
  }
})
