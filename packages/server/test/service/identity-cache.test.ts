import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type StoredIdentity, unknownAttempt } from '@latchkey/accounts'
import type { AnyPolicy } from '@latchkey/rbac'
import type { ServerOptions, ServerStores } from '@latchkey/server'
import { type Broadcast, createMemoryBroadcast, StoreError } from '@latchkey/store'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Bench, createBench, newPassword, password } from '../support/bench.ts'
import type { Visitor } from '../support/visitor.ts'

const viewer = '{ viewer { id } }'
/** Whether a request was answered as that of the account. */
const [ok, refused] = [true, false]

/** Several processes of a service on the same stores, whose reads of identities are counted. */
function openProcesses(count: number, { maxStalenessSeconds = 60, broadcast = createMemoryBroadcast() } = {}) {
  const bench = createBench()
  const { records, accounts, documents } = bench.stores
  const readIdentity = vi.fn(async (key: string, ids: readonly string[] = []): Promise<StoredIdentity | null> => {
    const record = await records.get(key)
    const account = record?.owner ? await accounts.get(record.owner) : null
    const denials = await Promise.all(ids.map((id) => documents.get('denials', id)))
    return record && account ? { record, account, isDenied: denials.some((denial) => denial !== null) } : null
  })
  const identities = { records, documents, read: readIdentity }
  const stores: ServerStores = { ...bench.stores, accounts: { ...accounts, identities } }
  const processes = Array.from({ length: count }, () =>
    createBench({ beside: bench, options: { stores, sessions: { cache: { maxStalenessSeconds, broadcast } } } }),
  )
  onTestFinished(() => void Promise.all(processes.map(({ server }) => server.close())))
  const open = async () => {
    for (const { server } of processes) await server.open()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { processes: processes as [Bench, ...Bench[]], readIdentity, stores, broadcast, open }
}

/** The same visitor at another process. */
function at(process: Bench, visitor: Visitor): Visitor {
  return Object.assign(process.visitor(), {
    bearer: visitor.bearer,
    csrfToken: visitor.csrfToken,
    jar: new Map(visitor.jar),
  })
}

const ask = async (visitor: Visitor) => typeof (await visitor.ask(viewer)).data?.viewer?.id === 'string'

describe.each(['SESSION', 'TOKEN'] as const)('with an identity cache, signed in by %s', (delivery) => {
  async function signedInEverywhere(count = 2) {
    const parts = openProcesses(count)
    await parts.open()
    const [first, second = first] = parts.processes
    const visitor = await first.signedIn('READER', delivery)
    const elsewhere = at(second, visitor)
    for (let round = 0; round < 2; round++) {
      expect(await ask(visitor)).toBe(ok)
      expect(await ask(elsewhere)).toBe(ok)
    }
    return { ...parts, first, second, visitor, elsewhere }
  }

  test('later requests do not read the stores', async () => {
    const { visitor, elsewhere, readIdentity } = await signedInEverywhere()
    readIdentity.mockClear()
    for (let round = 0; round < 5; round++) expect([await ask(visitor), await ask(elsewhere)]).toEqual([ok, ok])
    expect(readIdentity).not.toHaveBeenCalled()
  })

  const ends: readonly [
    what: string,
    end: (parts: Awaited<ReturnType<typeof signedInEverywhere>>) => Promise<unknown>,
  ][] = [
    ['signing out', ({ visitor }) => visitor.ask('mutation { signOut }')],
    [
      'disabling the account',
      async ({ first, visitor }) => {
        const accounts = await first.server.accounts()
        return accounts.disable({ id: visitor.account.id, attempt: unknownAttempt })
      },
    ],
    [
      'other roles',
      async ({ first, visitor }) =>
        (await first.server.accounts()).setRoles({ id: visitor.account.id, roles: ['ADMIN'], attempt: unknownAttempt }),
    ],
    [
      'a new password from another session',
      async ({ first, visitor }) => {
        const other = first.visitor()
        await other.signIn(visitor.account.email, password, 'SESSION')
        const change = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }'
        const answer = await other.ask(change, { input: { currentPassword: password, newPassword } })
        expect(answer.status).toBe(200)
      },
    ],
  ]

  test.each(ends)('%s takes effect at once in every process', async (_what, end) => {
    const parts = await signedInEverywhere()
    await end(parts)
    expect([await ask(parts.elsewhere), await ask(at(parts.first, parts.visitor))]).toEqual([refused, refused])
  })

  test('a read that a change has overtaken is not used again', async () => {
    const { first, processes, visitor, readIdentity } = await signedInEverywhere(3)
    // It has read nothing yet.
    const elsewhere = at(processes[2] ?? first, visitor)
    const accounts = await first.server.accounts()
    const real = readIdentity.getMockImplementation()
    const [read, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    readIdentity.mockImplementationOnce(async (...given) => {
      const found = await real?.(...given)
      read.resolve()
      await gate.promise
      return found ?? null
    })
    const overtaken = ask(elsewhere)
    await read.promise
    await accounts.disable({ id: visitor.account.id, attempt: unknownAttempt })
    gate.resolve()
    await overtaken
    expect(await ask(elsewhere)).toBe(refused)
  })

  test('another session of the same account does not reuse the entry', async () => {
    const { first, visitor } = await signedInEverywhere()
    const other = first.visitor()
    await other.signIn(visitor.account.email, password, delivery)
    expect(await ask(other)).toBe(ok)
    await other.ask('mutation { signOut }')
    expect([await ask(other), await ask(visitor)]).toEqual([refused, ok])
  })
})

test('a revoked token is refused at once in every process', async () => {
  const { processes, open } = openProcesses(2)
  await open()
  const [first, second = first] = processes
  const visitor = await first.signedIn('READER', 'TOKEN')
  const ended = at(second, visitor)
  expect([await ask(visitor), await ask(ended)]).toEqual([ok, ok])
  await first.server.revokeToken(visitor.bearer ?? '')
  expect([await ask(ended), await ask(visitor)]).toEqual([refused, refused])
})

test('a change without a message takes effect after maxStalenessSeconds', async () => {
  const { processes, stores, open } = openProcesses(1, { maxStalenessSeconds: 0.2 })
  await open()
  const visitor = await processes[0].signedIn()
  expect(await ask(visitor)).toBe(ok)
  await stores.accounts.replace(visitor.account.id, {}, { status: 'disabled' })
  await expect.poll(() => ask(visitor), { timeout: 5000 }).toBe(refused)
})

test.each<[string, Partial<Broadcast>]>([
  ['cannot listen', { listen: () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down')) }],
  ['cannot publish', { publish: () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down')) }],
  ['does not answer what is published', { publish: () => new Promise(() => undefined) }],
])('a broadcast that %s fails no request, and this process sees its own changes at once', async (_what, broken) => {
  const broadcast = { ...createMemoryBroadcast(), ...broken }
  const { processes, open, readIdentity } = openProcesses(1, { broadcast })
  await open()
  const visitor = await processes[0].signedIn()
  for (let round = 0; round < 3; round++) expect(await ask(visitor)).toBe(ok)
  if (broken.listen) expect(readIdentity.mock.calls.length).toBeGreaterThanOrEqual(3)
  const accounts = await processes[0].server.accounts()
  await accounts.disable({ id: visitor.account.id, attempt: unknownAttempt })
  expect(await ask(visitor)).toBe(refused)
})

test('a change that its store does not make is an outage at once, and waits for no broadcast', async () => {
  const publish = vi.fn(() => new Promise<void>(() => undefined))
  const { processes, open, stores } = openProcesses(1, { broadcast: { ...createMemoryBroadcast(), publish } })
  await open()
  const visitor = await processes[0].signedIn()
  Object.assign(stores.records, { remove: () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down')) })
  // No time passes that would end the wait for the broadcast.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  expect((await visitor.ask('mutation { signOut }')).status).toBe(503)
  expect(publish).toHaveBeenCalledOnce()
})

test('cached identities are dropped when the broadcast is lost', async () => {
  const { processes, stores, open, broadcast } = openProcesses(1)
  await open()
  const visitor = await processes[0].signedIn()
  expect(await ask(visitor)).toBe(ok)
  await stores.accounts.replace(visitor.account.id, {}, { status: 'disabled' })
  expect(await ask(visitor)).toBe(ok)
  await broadcast.close()
  await new Promise((resolve) => setImmediate(resolve))
  expect(await ask(visitor)).toBe(refused)
})

test('a server that is closed while it starts to listen stops listening', async () => {
  const memory = createMemoryBroadcast()
  const connected = Promise.withResolvers<void>()
  const ended = vi.fn()
  const listen = async (topic: string) => {
    const messages = await memory.listen(topic)
    await connected.promise
    return {
      next: () => messages.next(),
      async return() {
        ended(topic)
        await messages.return?.()
        return { done: true as const, value: undefined }
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }
  const { processes, open } = openProcesses(1, { broadcast: { ...memory, listen } })
  await open()
  await processes[0].server.close()
  connected.resolve()
  await expect.poll(() => ended.mock.calls.flat()).toContain('latchkey-identities')
})

test('without the option, and with a time of 0, each request reads', async () => {
  const { processes, open, readIdentity } = openProcesses(1, { maxStalenessSeconds: 0 })
  await open()
  const visitor = await processes[0].signedIn()
  readIdentity.mockClear()
  for (let round = 0; round < 3; round++) expect(await ask(visitor)).toBe(ok)
  expect(readIdentity).toHaveBeenCalledTimes(3)
})

test('a session that was used shortly before its idle limit stays valid in every process', async () => {
  const { processes, open } = openProcesses(2)
  await open()
  const [first, second = first] = processes
  const visitor = await first.signedIn()
  const elsewhere = at(second, visitor)
  first.advance(3595)
  expect([await ask(elsewhere), await ask(visitor)]).toEqual([ok, ok])
  first.advance(10)
  expect([await ask(elsewhere), await ask(visitor)]).toEqual([ok, ok])
})

test('the cache keeps only the latest read under changing names', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const { processes, open, readIdentity } = openProcesses(1, { maxStalenessSeconds: 0.000_001 })
  await open()
  const visitor = await processes[0].signedIn()
  const real = readIdentity.getMockImplementation()
  let place = 0
  readIdentity.mockImplementation(async (...given) => {
    const found = await real?.(...given)
    return found ? { ...found, account: { ...found.account, id: `${place++} ${'x'.repeat(50_000)}` } } : null
  })
  const growthOf = async (rounds: number) => {
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    for (let round = 0; round < rounds; round++) await visitor.ask('{ __typename }')
    readIdentity.mockClear()
    collectGarbage()
    return process.memoryUsage().heapUsed - before
  }
  await growthOf(50)
  expect(await growthOf(300)).toBeLessThan(5_000_000)
  expect(place).toBe(350)
})

test.each<[string, object, RegExp]>([
  ['a negative time', { maxStalenessSeconds: -1 }, /maxStalenessSeconds/],
  ['more than a minute', { maxStalenessSeconds: 61 }, /maxStalenessSeconds/],
  ['a time in words', { maxStalenessSeconds: '1' }, /maxStalenessSeconds/],
  ['no broadcast', { broadcast: undefined }, /broadcast/],
  ['an unknown name', { maxStaleness: 1 }, /maxStaleness/],
])('"sessions.cache" with %s is refused', (_what, change, message) => {
  const { stores } = openProcesses(0)
  const identityCache = {
    maxStalenessSeconds: 1,
    broadcast: createMemoryBroadcast(),
    ...change,
  } as Required<NonNullable<ServerOptions<AnyPolicy>['sessions']>>['cache']
  expect(() => createBench({ options: { stores, sessions: { cache: identityCache } } })).toThrow(message)
})

test('"sessions.cache" is refused if the accounts have no reads of these records', () => {
  const { stores } = openProcesses(0)
  const identityCache = { broadcast: createMemoryBroadcast() }
  const { identities: _none, ...accounts } = stores.accounts
  for (const given of [
    { ...stores, accounts },
    { ...stores, records: createBench().stores.records },
  ]) {
    expect(() => createBench({ options: { stores: given, sessions: { cache: identityCache } } })).toThrow(
      /"stores.accounts.identities"/,
    )
  }
})
