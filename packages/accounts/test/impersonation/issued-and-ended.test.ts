import type { Accounts, AccountsOptions } from '@latchkey/accounts'
import { readImpersonation } from '@latchkey/accounts/internal'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Bench, type BenchOptions, createBench, refusalOf } from '../bench.ts'

const reason = 'Ticket 4711'
const impersonation: Required<AccountsOptions>['impersonation'] = {
  mayImpersonate: (administrator, account) => administrator.roles.includes('ADMIN') && !account.roles.includes('ADMIN'),
}
const vias = ['cookie', 'bearer'] as const
type Via = (typeof vias)[number]

async function createScene({ options, ...around }: BenchOptions = {}) {
  const bench = createBench({ ...around, options: { impersonation, ...options } })
  const administrator = await bench.insert({ roles: ['ADMIN'] })
  const { identity } = await bench.signIn()
  const account = await bench.insert({ email: 'helped@example.com', roles: ['READER', 'AUTHOR'] })
  const start = (via?: Via) => {
    const { via: _via, ...said } = identity
    const by = { ...said, ...(via && { via }) }
    return bench.accounts.startImpersonation({ identity: by, accountId: account.id, reason })
  }
  return { bench, administrator, account, identity, start }
}
type Scene = Awaited<ReturnType<typeof createScene>>

async function started(
  { start }: Scene,
  via: Via,
): Promise<NonNullable<Awaited<ReturnType<Accounts['startImpersonation']>>>> {
  const result = await start(via)
  if (!result) throw new Error('it was refused')
  return result
}

const openOf = async ({ sessions }: Bench, id: string) => (await sessions.list(id)).map(({ key }) => key)

describe('the credentials of an impersonation', () => {
  test('an administrator with a cookie gets a session that expires with the browser and the lifetime', async () => {
    const scene = await createScene()
    const { credentials, identity, expiresAt } = await started(scene, 'cookie')
    if (credentials.delivery !== 'session') throw new Error('it is a session')
    expect(credentials.session).toMatchObject({ subject: scene.account.id, persistent: false })
    expect(identity).toMatchObject({ via: 'cookie', key: credentials.session.key, factors: [] })
    expect(expiresAt).toBe(scene.bench.now() + 900_000)
  })

  test.each(['bearer', undefined] as const)(
    'an administrator gets an access token with the roles of the account, which expires with the lifetime: via %s',
    async (via) => {
      const scene = await createScene({ options: { impersonation: { ...impersonation, lifetimeSeconds: 60 } } })
      const result = await scene.start(via)
      if (result?.credentials.delivery !== 'bearer') throw new Error('it is a token')
      const { credentials, identity, expiresAt } = result
      const claims = await scene.bench.verify(credentials.accessToken)
      expect(claims).toMatchObject({ role: 'READER AUTHOR', act: { sub: scene.administrator.id }, sid: identity.key })
      expect(identity.via).toBe('bearer')
      expect([expiresAt, credentials.accessTokenExpiresAt]).toEqual(Array(2).fill(scene.bench.now() + 60_000))
    },
  )

  test.each(vias)('no credentials are issued if either account changes at the same time: %s', async (via) => {
    for (const who of ['administrator', 'account'] as const) {
      let meanwhile = async (): Promise<unknown> => undefined
      const scene = await createScene({
        async aroundRecords(method, run) {
          if (method === 'insert') await meanwhile()
          return run()
        },
      })
      const { bench, account } = scene
      meanwhile = () => bench.store.replace(scene[who].id, {}, { epoch: 9 })
      expect(await refusalOf(scene.start(via))).toMatchObject({ code: 'IMPERSONATION_NOT_ALLOWED' })
      expect(await openOf(bench, account.id)).toEqual([])
      expect(bench.events.at(-1)).toMatchObject({ type: 'impersonation.refused', reason: 'account-changed' })
    }
  })

  test.each(vias)(
    'credentials are removed if the administrator cannot be read after they were stored: %s',
    async (via) => {
      let failing: 'insert' | 'get' | null = null
      const scene = await createScene({
        async aroundRecords(method, run) {
          if (method !== failing) return run()
          failing = method === 'insert' ? 'get' : null
          if (method === 'insert') return run()
          throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
        },
      })
      failing = 'insert'
      await expect(scene.start(via)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
      expect(failing).toBeNull()
      expect(await openOf(scene.bench, scene.account.id)).toEqual([])
    },
  )

  test('the credentials are invalid in a service without the option impersonation', async () => {
    const scene = await createScene()
    const { credentials } = await started(scene, 'cookie')
    if (credentials.delivery !== 'session') throw new Error('it is a session')
    const { store, records, sessions, refreshTokens, now } = scene.bench
    const other = createBench({ options: { accounts: store, records, sessions, refreshTokens, now } })
    expect(await scene.bench.accounts.identifyCredential(credentials.credential)).not.toBeNull()
    expect(await other.accounts.identifyCredential(credentials.credential)).toBeNull()
  })

  test('the owner of the account gets a mail unless notify is false', async () => {
    for (const notify of [undefined, true, false]) {
      const scene = await createScene({
        options: { impersonation: { ...impersonation, ...(notify !== undefined && { notify }) } },
      })
      await started(scene, 'cookie')
      await scene.bench.accounts.settled()
      const told = scene.bench.outbox.filter(({ kind }) => kind === 'impersonated')
      expect(told).toMatchObject(notify === false ? [] : [{ to: scene.account.email, data: { minutes: 15 } }])
    }
  })
})

describe('endImpersonation', () => {
  test("endImpersonation over a cookie also revokes the administrator's session that it has replaced", async () => {
    const scene = await createScene()
    const { bench, account, administrator, identity: own } = scene
    const { identity } = await started(scene, 'cookie')
    expect(await bench.accounts.endImpersonation({ identity })).toBe(true)
    expect([await openOf(bench, account.id), await openOf(bench, administrator.id)]).toEqual([[], []])
    expect(bench.events.slice(-2)).toMatchObject([
      { type: 'session.ended', accountId: administrator.id, sessionKey: own.key, reason: 'sign-out' },
      { type: 'impersonation.ended', accountId: account.id, impersonatorId: administrator.id },
    ])
  })

  test.each([
    [1, 'before'],
    [1, 'after'],
    [2, 'before'],
    [2, 'after'],
  ] as const)(
    'endImpersonation whose removal %i fails %s its effect is finished by the next call',
    async (failing, when) => {
      let removals = Number.NEGATIVE_INFINITY
      const scene = await createScene({
        async aroundRecords(method, run) {
          if (method !== 'remove' || ++removals !== failing) return run()
          if (when === 'after') await run()
          throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
        },
      })
      const { bench, account, administrator, identity: own } = scene
      const { identity, credentials } = await started(scene, 'cookie')
      if (credentials.delivery !== 'session') throw new Error('it is a session')
      removals = 0
      await expect(bench.accounts.endImpersonation({ identity })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
      const isOpen = (await bench.accounts.identifyCredential(credentials.credential)) !== null
      expect([isOpen, await openOf(bench, administrator.id)]).toEqual(
        failing === 1 && when === 'before' ? [true, [own.key]] : [false, []],
      )
      await bench.accounts.endImpersonation({ identity })
      expect([await openOf(bench, account.id), await openOf(bench, administrator.id)]).toEqual([[], []])
    },
  )

  test('endImpersonation over a token keeps the session of the administrator', async () => {
    const scene = await createScene()
    const { bench, account, administrator, identity: own } = scene
    const { identity } = await started(scene, 'bearer')
    expect(await bench.accounts.endImpersonation({ identity })).toBe(true)
    expect([await openOf(bench, account.id), await openOf(bench, administrator.id)]).toEqual([[], [own.key]])
  })

  test('endImpersonation returns false for a revoked session, for an owner, and without a session', async () => {
    const scene = await createScene()
    const { bench, account, administrator, identity: own } = scene
    const { identity } = await started(scene, 'cookie')
    const before = await openOf(bench, account.id)
    const events = bench.events.length
    const unknown = { ...identity, key: null }
    for (const one of [own, { ...identity, impersonator: null }, unknown, { ...identity, key: 'se_none' }]) {
      expect(await bench.accounts.endImpersonation({ identity: one })).toBe(false)
    }
    expect([await openOf(bench, account.id), await openOf(bench, administrator.id)]).toEqual([before, [own.key]])
    expect(bench.events.slice(events)).toEqual([])
  })

  test('endImpersonation over a cookie of another session revokes only the impersonation', async () => {
    const scene = await createScene()
    const { bench, account, administrator, identity: own } = scene
    const { identity } = await bench.signIn({ email: account.email })
    const claimed = { ...identity, impersonator: administrator.id }
    expect(await bench.accounts.endImpersonation({ identity: claimed })).toBe(true)
    expect([await openOf(bench, account.id), await openOf(bench, administrator.id)]).toEqual([[], [own.key]])
  })
})

describe('the lifetime of an impersonation', () => {
  test('the lifetime of an impersonation defaults to 15 minutes, may be a minute to an hour, and its owner gets a mail', () => {
    expect(readImpersonation({})).toEqual({ lifetimeSeconds: 900, notify: true })
    for (const lifetimeSeconds of [60, 3600]) {
      expect(readImpersonation({ lifetimeSeconds, notify: false })).toEqual({ lifetimeSeconds, notify: false })
    }
    for (const lifetimeSeconds of [59, 3601, 60.5]) {
      expect(() => readImpersonation({ lifetimeSeconds })).toThrow('from 60 to 3600')
    }
    expect(() => readImpersonation({ minutes: 15 } as object)).toThrow('"impersonation" has no option "minutes"')
  })
})
