import { type AccountsOptions, createAccounts, createMemoryAccountStore } from '@latchkey/accounts'
import { createMemoryRecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createBench, email, password } from './bench.ts'
import { createFactorsBench } from './factors/factors-bench.ts'

describe('an option that cannot be used is refused by name:', () => {
  const memory = createMemoryRecordStore()
  const eventual = { ...memory, capabilities: { ...memory.capabilities, consistency: 'eventual' as const } }
  const cases: [string, object][] = [
    ['records', { records: eventual }],
    ['records', { records: { insert: memory.insert } }],
    ['baseUrl', { baseUrl: 'example.com' }],
    ['baseUrl', { baseUrl: 'javascript:alert(1)' }],
    ['baseUrl', { baseUrl: 'https://example.com/?a=b' }],
    ['baseUrl', { baseUrl: 'https://example.com/#a' }],
    ['baseUrl', { baseUrl: 'https://user:secret@example.com' }],
    ['baseUrl', { baseUrl: 'https://user@example.com' }],
    ['baseUrl', { baseUrl: 'https://:secret@example.com' }],
    ['baseUrl', { baseUrl: 'xhttps://example.com' }],
    ['baseUrl', { baseUrl: undefined }],
    ['signUp', { signUp: undefined }],
    ['signUp', { signUp: 'open' }],
    ['signUp', { signUp: { role: '' } }],
    ['signUp', { signUp: { role: 'A B' } }],
    ['nativeDelivery', { nativeDelivery: true }],
    ['nativeDelivery', { nativeDelivery: Symbol('allowNativeDelivery') }],
    ['verificationTtlSeconds', { verificationTtlSeconds: 0 }],
    ['verificationTtlSeconds', { verificationTtlSeconds: 31_536_001 }],
    ['resetTtlSeconds', { resetTtlSeconds: Number.NaN }],
    ['emailChangeTtlSeconds', { emailChangeTtlSeconds: 0 }],
    ['mailDelayMs', { mailDelayMs: -1 }],
    ['mailDelayMs', { mailDelayMs: Number.NaN }],
    ['mailDelayMs', { mailDelayMs: 60_001 }],
    ['mailDelayMs', { mailDelayMs: null }],
    ['resetTtlSeconds', { resetTtlSeconds: '60' }],
    ['counters', { counters: null }],
    ['counters', { counters: createMemoryRecordStore() }],
    ['deviceTokens', { deviceTokens: [{ id: 'a', bytes: new Uint8Array(32) }] }],
    ['deviceTokens', { deviceTokens: false }],
    ['accounts.identities', { accounts: { ...createMemoryAccountStore(), identities: { readRecord: () => null } } }],
    ['denyList', { denyList: new Set() }],
    ['accounts.reservations', { accounts: { ...createMemoryAccountStore(), reservations: {} } }],
    ['documents', { documents: {} }],
    ['impersonation', { impersonation: null }],
    ['impersonation', { impersonation: { mayImpersonate: () => true, minutes: 15 } }],
    ['impersonation.mayImpersonate', { impersonation: {} }],
    ...[59, 3601, 60.5, '900', Number.NaN].map((lifetimeSeconds): [string, object] => [
      'impersonation.lifetimeSeconds',
      { impersonation: { mayImpersonate: () => true, lifetimeSeconds } },
    ]),
    ['impersonation.notify', { impersonation: { mayImpersonate: () => true, notify: 'yes' } }],
    ...['accounts', 'records', 'passwords', 'policy', 'sessions', 'refreshTokens', 'accessTokens', 'mailer'].map(
      (name): [string, object] => [name, { [name]: undefined }],
    ),
  ]
  test.each(cases)('"%s" as %j', (name, change) => {
    const make = () => createBench({ options: change as Partial<AccountsOptions> })
    expect(make).toThrow(TypeError)
    expect(make).toThrow(`"${name}"`)
  })
})

test.each([undefined, null, 'open', {}, { role: 7 }])('"signUp" is a role or closed, and not %j', (signUp) => {
  const make = () => createBench({ options: { signUp: signUp as never } })
  expect(make).toThrow(new TypeError('"signUp" must be { role } or \'closed\''))
})

test.each<[name: string, change: Partial<AccountsOptions>]>([
  ['baseUrl', { baseUrl: 'http://localhost:4000' }],
  ['verificationTtlSeconds', { verificationTtlSeconds: 1 }],
  ['resetTtlSeconds', { resetTtlSeconds: 31_536_000 }],
  ['mailDelayMs', { mailDelayMs: 60_000 }],
  ['undoDays', { undoDays: 30 }],
  ['dataExport', { dataExport: { grants: undefined } as never }],
])('"%s" as %j is accepted', (_name, options) => {
  expect(() => createBench({ options })).not.toThrow()
})

describe('an option that createAccounts does not have is refused, with the one that was probably meant', () => {
  test.each<[message: string, change: object]>([
    ['createAccounts has no option "resetTtl". Did you mean "resetTtlSeconds"?', { resetTtl: 60 }],
    ['createAccounts has no option "baseURI". Did you mean "baseUrl"?', { baseURI: 'https://example.com' }],
    ['createAccounts has no option "pepper", only "accounts", "records"', { pepper: 'x' }],
    ['"signUp" has no option "roles". Did you mean "role"?', { signUp: { role: 'READER', roles: ['ADMIN'] } }],
  ])('%s', (message, change) => {
    const make = () => createBench({ options: change as Partial<AccountsOptions> })
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  test('a whole set of stores may be passed', () => {
    const stores = { broadcast: {}, audit: {}, close: () => {} }
    expect(() => createBench({ options: stores as Partial<AccountsOptions> })).not.toThrow()
  })
})

describe('a second factor', () => {
  type Parts = Partial<AccountsOptions>
  const withParts = (change: (parts: Parts) => Parts) => () => createFactorsBench({}, change)

  test.each<[missing: string, change: (parts: Parts) => Parts]>([
    ['recoveryCodes', ({ totp, documents }) => ({ totp, documents }) as Parts],
    ['recoveryCodes', ({ passkeys, documents }) => ({ passkeys, documents }) as Parts],
    ['documents', ({ totp, recoveryCodes }) => ({ totp, recoveryCodes }) as Parts],
    ['documents', ({ passkeys, recoveryCodes }) => ({ passkeys, recoveryCodes }) as Parts],
  ])('is refused without "%s", or who loses it would be locked out', (missing, change) => {
    expect(withParts(change)).toThrow(new TypeError(`"${missing}" is required with "totp" or "passkeys"`))
  })

  test('that must be there is one that is offered, and so is one that devices are remembered by', () => {
    const required = { secondFactor: { required: 'all' } } as const
    const remembered = { rememberDevices: { days: 30 } }
    const inStead = ({ recoveryCodes, documents }: Parts) => ({ recoveryCodes, documents }) as Parts
    expect(withParts((parts) => ({ ...inStead(parts), ...required }))).toThrow(
      new TypeError('"secondFactor" needs "totp" or "passkeys"'),
    )
    expect(withParts((parts) => ({ ...inStead(parts), ...remembered }))).toThrow(
      new TypeError('"rememberDevices" needs "totp" or "passkeys"'),
    )
    expect(withParts(({ totp: _totp, ...parts }) => ({ ...parts, ...required, ...remembered }))).not.toThrow()
    expect(withParts(({ passkeys: _passkeys, ...parts }) => ({ ...parts, ...required, ...remembered }))).not.toThrow()
  })

  test('of either kind may be the only one, and what stands in for it may be there without any', () => {
    expect(withParts(({ totp: _totp, ...parts }) => parts)).not.toThrow()
    expect(withParts(({ passkeys: _passkeys, ...parts }) => parts)).not.toThrow()
    expect(withParts(({ recoveryCodes, documents }) => ({ recoveryCodes, documents }) as Parts)).not.toThrow()
  })

  test.each([
    ['totp', 'verify'],
    ['passkeys', 'finishSignIn'],
    ['recoveryCodes', 'verify'],
  ])('is refused with "%s" that has no "%s"', (name, method) => {
    const make = withParts((parts) => ({ ...parts, [name]: {} }))
    expect(make).toThrow(new TypeError(`"${name}" must have "${method}", or be omitted`))
  })

  test('is refused with documents that are no store of them', () => {
    const make = withParts((parts) => ({ ...parts, documents: {} as never }))
    expect(make).toThrow(new TypeError('"documents" must be a document store'))
  })
})

describe('an option that is omitted:', () => {
  test('the clock is that of the records', async () => {
    const { accounts, events, advance, now } = createBench({ options: { now: undefined as never } })
    advance(60)
    await accounts.signIn({ email, password, delivery: 'session' })
    expect(events).toMatchObject([{ type: 'sign-in.failed', at: now() }])
  })

  test('mails are counted in this process, by the same clock', async () => {
    const { accounts, insert, outbox, advance } = createBench({ options: { counters: undefined as never } })
    await insert()
    const ask = async (times: number) => {
      for (let asked = 0; asked < times; asked++) await accounts.requestPasswordReset({ email })
      await accounts.settled()
      return outbox.length
    }
    expect(await ask(4)).toBe(3)
    advance(3599)
    expect(await ask(1)).toBe(3)
    advance(1)
    expect(await ask(1)).toBe(4)
  })
})

test('nothing is read or written before the first call', () => {
  const touched: string[] = []
  const log = (method: string, run: () => Promise<unknown>) => {
    touched.push(method)
    return run()
  }
  createBench({ aroundAccounts: log, aroundRecords: log })
  expect(touched).toEqual([])
  expect(() => createAccounts({} as AccountsOptions)).toThrow(TypeError)
})

test('links begin with the base URL, its path included', async () => {
  const { accounts, insert, outbox } = createBench({ options: { baseUrl: 'https://example.com/app//' } })
  await insert()
  await accounts.requestPasswordReset({ email })
  await accounts.settled()
  expect(outbox[0]?.url).toMatch(/^https:\/\/example\.com\/app\/reset\?token=reset_[\w-]{22}\.[\w-]{43}$/)
})
