import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { unknownAttempt as attempt } from '@latchkey/accounts'
import { createSqliteStores } from '@latchkey/sql'
import { expect, onTestFinished, test } from 'vitest'
import { createBench, linksIn, password } from '../support/bench.ts'

const issuer = 'https://id.example.com'

const secrets = { load: async () => [{ id: 'a', bytes: new Uint8Array(32).fill(7) }] as const }
const providers = { newAccounts: 'verified-email' } as const

/** Two services with connections of their own to one SQLite file. */
async function openPair() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-providers-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const open = () => createSqliteStores({ database: () => new DatabaseSync(join(folder, 'app.db')) })
  const pair = [open(), open()].map((stores) => ({
    stores,
    bench: createBench({ options: { stores, secrets, signIn: { providers } } }),
  }))
  const [first] = pair
  if (!first) throw new Error('there is no service')
  await first.stores.migrate()
  const services = await Promise.all(pair.map(({ bench }) => bench.server.accounts()))
  const shown = (change: object = {}) => ({
    issuer,
    subject: '42',
    email: 'ada@example.com',
    emailVerified: true,
    amr: [],
    sid: 's1',
    authenticatedAt: Date.now(),
    binding: null,
    ...change,
  })
  const at = (nth: number) => services[nth % 2] ?? services[0]
  return { at, shown, stores: first.stores, links: linksIn(first.stores.documents) }
}

const fifty = Array.from({ length: 50 }, (_none, nth) => nth)

test('fifty first sign-ins of one user at two services make one account with one link', async () => {
  const { at, shown, stores, links } = await openPair()
  const signIns = fifty.map((nth) => at(nth)?.signInWithProvider({ ...shown(), delivery: 'session', attempt }))
  const results = await Promise.allSettled(signIns)
  const { items } = await stores.accounts.list({})
  expect(items).toHaveLength(1)
  expect(await links.get(issuer, '42')).toMatchObject({ accountId: items[0]?.id })
  expect(results.filter((result) => result.status === 'fulfilled' && result.value?.ok).length).toBeGreaterThan(0)
})

test("a provider's user is linked to exactly one of fifty accounts at two services", async () => {
  const { at, shown, links } = await openPair()
  const people = []
  for (const nth of fifty) {
    const person = { email: `reader${nth}@example.com`, password, name: 'A Reader', roles: ['READER'], attempt }
    await at(0)?.create(person)
    const signedIn = await at(0)?.signIn({ email: person.email, password, delivery: 'session', attempt })
    if (!signedIn?.ok || signedIn.status !== 'signed-in') throw new Error('it was refused')
    people.push(signedIn.identity)
  }
  const linking = people.map((identity, nth) =>
    at(nth)?.linkProvider({ ...shown({ binding: `link:${identity.key}` }), identity, attempt }),
  )
  const results = await Promise.allSettled(linking)
  const winners = people.filter((_person, nth) => results[nth]?.status === 'fulfilled')
  expect(winners).toHaveLength(1)
  expect(await links.get(issuer, '42')).toMatchObject({ accountId: winners[0]?.subject })
})

test('concurrent removals at two services keep one link if there is no other way to sign in', async () => {
  for (let round = 0; round < 5; round++) {
    const { at, shown, links } = await openPair()
    const signedIn = await at(0)?.signInWithProvider({ ...shown(), delivery: 'session', attempt })
    if (!signedIn?.ok || signedIn.status !== 'signed-in') throw new Error('it was refused')
    const { identity } = signedIn
    const accountId = identity.subject
    await links.insert({ issuer, subject: '43', accountId, createdAt: Date.now() })
    const linked = (await at(0)?.linkedProviders(accountId)) ?? []
    await Promise.allSettled(linked.map(({ id }, nth) => at(nth)?.unlinkProvider({ identity, id, attempt })))
    expect(await links.listByAccount(accountId)).toHaveLength(1)
  }
})
