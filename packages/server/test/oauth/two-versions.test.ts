import type { ServerStores } from '@latchkey/server'
import { storedVersion as newest } from '@latchkey/store/internal'
import { codeAt } from '@latchkey/test-services'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { expect, onTestFinished, test } from 'vitest'
import { type BenchOptions, password } from '../support/bench.ts'
import { keep, okData, operations } from '../support/factor-bench.ts'
import { createProviderBench, isSignedIn, signInWith } from '../support/providers/provider-bench.ts'
import { createVisitor, ownPage } from '../support/visitor.ts'
import { createOAuthBench } from './support/oauth-bench.ts'

const older = newest - 1

/** A service with clients, providers and a second factor. */
function make(given: BenchOptions) {
  const signIn = { totp: createTotp, recoveryCodes: createRecoveryCodes, ...given.options?.signIn }
  return createOAuthBench({ ...given, options: { ...given.options, signIn } })
}

/** Returns which versions are written from now on, by the kind of value. */
function watchVersions({ records, documents }: ServerStores): ReadonlyMap<string, ReadonlySet<number>> {
  const versions = new Map<string, Set<number>>()
  const note = (kind: string, text: string): void => {
    const [json] = /\{".*/.exec(text) ?? []
    if (json !== undefined) versions.set(kind, (versions.get(kind) ?? new Set()).add(JSON.parse(json).v ?? 0))
  }
  const kindOf = ({ key }: { readonly key: string }): string => key.split('_', 1)[0] ?? ''
  const [record, document] = [{ ...records }, { ...documents }]
  records.insert = (given) => {
    note(kindOf(given), given.value)
    return record.insert(given)
  }
  records.replace = (current, next) => {
    note(kindOf(current), next.value)
    return record.replace(current, next)
  }
  documents.insert = (given) => {
    note(given.collection, given.value)
    return document.insert(given)
  }
  documents.replace = (current, next) => {
    note(current.collection, next.value)
    return document.replace(current, next)
  }
  return versions
}

/** Two services on the same stores, opened while these had a version each; a visitor's requests go to them in turn. */
async function openBoth(versions: readonly [number, number]) {
  const providers = { newAccounts: 'verified-email', labels: { one: 'One' } } as const
  const first = createProviderBench({ make, providers })
  const clients = { one: first.one.client, two: first.two.client }
  const second = make({ beside: first, options: { signIn: { providers: { ...providers, clients } } } })
  const { documents } = first.stores
  const services = [first.server, second.server]
  for (const [index, version] of versions.entries()) {
    const setting = { collection: 'settings', id: 'stored-version' }
    await documents.remove(setting)
    await documents.insert({ ...setting, owner: null, version: `w${index}`, value: JSON.stringify({ version }) })
    await services[index]?.open()
    onTestFinished(() => services[index]?.close())
  }
  let asked = 0
  return {
    bench: first,
    giveCode: second.giveCode,
    written: watchVersions(first.stores),
    visitor: () => createVisitor({ fetch: (request) => (services[asked++ % 2] ?? first.server).fetch(request) }),
  }
}

/** Sessions, tokens, factors, challenges, links and clients, each written by one service and read by the other. */
async function live({ bench, giveCode, visitor, ...both }: Awaited<ReturnType<typeof openBoth>>) {
  const { email } = await bench.insert()
  const owner = visitor()
  okData(await owner.signIn(email, password))
  const { secret } = okData(await owner.ask(operations.enroll)).startTotpEnrollment
  const code = () => {
    bench.advance(30)
    return codeAt(secret, bench.clock.time)
  }
  okData(await owner.ask(operations.confirm, { input: { code: code() } }))
  owner.csrfToken = okData(await owner.ask(operations.csrf)).csrfToken
  expect((await giveCode(owner)).code).toMatch(/^ac_/)
  okData(await owner.ask('mutation { signOut }', {}, ownPage))
  const { challenge } = okData(await owner.signIn(email, password, 'TOKEN')).signIn
  const input = { challenge, code: code(), delivery: 'TOKEN' }
  keep(owner, okData(await owner.ask(operations.verify, { input })).verifySecondFactor)
  owner.bearer = okData(await owner.ask('mutation { refresh { accessToken } }')).refresh.accessToken
  expect(await isSignedIn(owner)).toBe(true)
  okData(await owner.ask('mutation { signOut }', {}, ownPage))
  expect(await isSignedIn(owner)).toBe(false)
  const newcomer = visitor()
  await signInWith(newcomer, bench.one)
  expect(await isSignedIn(newcomer)).toBe(true)
  await newcomer.ask('mutation { signOut }', {}, ownPage)
  await signInWith(newcomer, bench.one)
  expect(await isSignedIn(newcomer)).toBe(true)
  return both.written
}

const kinds = [
  ...[
    'se',
    'rt',
    'denials',
    'provider-link',
    'factor',
    'factor-totp-enrollment',
    'factor-totp',
    'factor-recovery-code',
  ],
  ...['oauth-grant', 'ac'],
]

test('a service hands its stored version to all that it stores', async () => {
  const written = await live(await openBoth([older, older]))
  const expected = kinds.map((kind) => [kind, [older]] as const)
  expect(Object.fromEntries([...written].map(([kind, versions]) => [kind, [...versions]]))).toEqual(
    Object.fromEntries(expected),
  )
})

test.each([
  [older, newest],
  [newest, older],
])('services that write the versions %i and %i read the values of both', async (first, second) => {
  const written = await live(await openBoth([first, second]))
  expect([...written.keys()].sort()).toEqual(kinds.toSorted())
})
