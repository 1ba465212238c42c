import { type AccountsOptions, createAccounts, createMemoryAccountStore } from '@latchkey/accounts'
import { createMemoryRecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createBench, email, password, type SignInOptions, type TestOptions } from './bench.ts'
import { createFactorsBench } from './factors/factors-bench.ts'

describe('an option that cannot be used is refused by name:', () => {
  const memory = createMemoryRecordStore()
  const eventual = { ...memory, capabilities: { ...memory.capabilities, consistency: 'eventual' as const } }
  const cases: [string, object][] = [
    ['records', { records: eventual }],
    ['records', { records: { insert: memory.insert } }],
    ['mails.baseUrl', { mails: { baseUrl: 'example.com' } }],
    ['mails.baseUrl', { mails: { baseUrl: 'javascript:alert(1)' } }],
    ['mails.baseUrl', { mails: { baseUrl: 'https://example.com/?a=b' } }],
    ['mails.baseUrl', { mails: { baseUrl: 'https://example.com/#a' } }],
    ['mails.baseUrl', { mails: { baseUrl: 'https://user:secret@example.com' } }],
    ['mails.baseUrl', { mails: { baseUrl: 'https://user@example.com' } }],
    ['mails.baseUrl', { mails: { baseUrl: 'https://:secret@example.com' } }],
    ['mails.baseUrl', { mails: { baseUrl: 'xhttps://example.com' } }],
    ['mails.baseUrl', { mails: { baseUrl: undefined } }],
    ['signUp', { signUp: undefined }],
    ['signUp', { signUp: 'open' }],
    ['signUp', { signUp: { role: '' } }],
    ['signUp', { signUp: { role: 'A B' } }],
    ['signIn.nativeDelivery', { signIn: { nativeDelivery: true } }],
    ['signIn.nativeDelivery', { signIn: { nativeDelivery: Symbol('allowNativeDelivery') } }],
    ['mails.linkSeconds.verifyEmail', { mails: { linkSeconds: { verifyEmail: 0 } } }],
    ['mails.linkSeconds.verifyEmail', { mails: { linkSeconds: { verifyEmail: 31_536_001 } } }],
    ['mails.linkSeconds.resetPassword', { mails: { linkSeconds: { resetPassword: Number.NaN } } }],
    ['mails.linkSeconds.confirmEmailChange', { mails: { linkSeconds: { confirmEmailChange: 0 } } }],
    ['mails.maxDelayMs', { mails: { maxDelayMs: -1 } }],
    ['mails.maxDelayMs', { mails: { maxDelayMs: Number.NaN } }],
    ['mails.maxDelayMs', { mails: { maxDelayMs: 60_001 } }],
    ['mails.maxDelayMs', { mails: { maxDelayMs: null } }],
    ['mails.linkSeconds.resetPassword', { mails: { linkSeconds: { resetPassword: '60' } } }],
    ['counters', { counters: null }],
    ['counters', { counters: createMemoryRecordStore() }],
    ['signIn.knownDevices', { signIn: { knownDevices: [{ id: 'a', bytes: new Uint8Array(32) }] } }],
    ['signIn.knownDevices', { signIn: { knownDevices: false } }],
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
    ...['accounts', 'records', 'passwordHasher', 'passwordPolicy', 'sessions', 'refreshTokens', 'accessTokens'].map(
      (name): [string, object] => [name, { [name]: undefined }],
    ),
    ['mails.mailer', { mails: { mailer: undefined } }],
    ['mails.linkSeconds', { mails: { linkSeconds: 60 } }],
    ['mails', { mails: undefined }],
    ['signIn', { signIn: undefined }],
    ['signIn', { signIn: null }],
    ['signIn.secondFactor', { signIn: { secondFactor: { required: 'all' } } }],
    ['audit', { audit: null }],
    ['audit.log', { audit: { log: {} } }],
  ]
  test.each(cases)('"%s" as %j', (name, change) => {
    const make = () => createBench({ options: change as TestOptions })
    expect(make).toThrow(TypeError)
    expect(make).toThrow(`"${name}"`)
  })
})

test.each([undefined, null, 'open', {}, { role: 7 }])('"signUp" is a role or closed, and not %j', (signUp) => {
  const make = () => createBench({ options: { signUp: signUp as never } })
  expect(make).toThrow(new TypeError('"signUp" must be { role } or \'closed\''))
})

test.each<[name: string, change: TestOptions]>([
  ['mails.baseUrl', { mails: { baseUrl: 'http://localhost:4000' } }],
  ['mails.linkSeconds.verifyEmail', { mails: { linkSeconds: { verifyEmail: 1 } } }],
  ['mails.linkSeconds.resetPassword', { mails: { linkSeconds: { resetPassword: 31_536_000 } } }],
  ['mails.maxDelayMs', { mails: { maxDelayMs: 60_000 } }],
  ['emailUndoDays', { emailUndoDays: 30 }],
  ['dataExport', { dataExport: { grants: undefined } as never }],
])('"%s" as %j is accepted', (_name, options) => {
  expect(() => createBench({ options })).not.toThrow()
})

describe('an option that createAccounts does not have is refused, with the one that was probably meant', () => {
  test.each<[message: string, change: object]>([
    ['createAccounts has no option "passwordHashes". Did you mean "passwordHasher"?', { passwordHashes: {} }],
    ['createAccounts has no option "pepper", only "accounts", "records"', { pepper: 'x' }],
    ['createAccounts has no option "signIn.passkey". Did you mean "signIn.passkeys"?', { signIn: { passkey: {} } }],
    ['createAccounts has no option "mails.baseURI". Did you mean "mails.baseUrl"?', { mails: { baseURI: '/' } }],
    [
      '"mails.linkSeconds" has no option "reset". Did you mean "resetPassword"?',
      { mails: { linkSeconds: { reset: 60 } } },
    ],
    ['"audit" has no option "logs". Did you mean "log"?', { audit: { logs: {} } }],
    ['"signUp" has no option "roles". Did you mean "role"?', { signUp: { role: 'READER', roles: ['ADMIN'] } }],
  ])('%s', (message, change) => {
    const make = () => createBench({ options: change as TestOptions })
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })

  test('a whole set of stores may be passed', () => {
    const stores = { lockouts: {}, migrate: () => {}, close: () => {} }
    expect(() => createBench({ options: stores as TestOptions })).not.toThrow()
  })

  test.each(['links', 'factors', 'grants'])('"%s", which no set of stores has, is refused', (name) => {
    const make = () => createBench({ options: { [name]: {} } as TestOptions })
    expect(make).toThrow(new RegExp(`^createAccounts has no option "${name}"`))
  })
})

describe('a second factor', () => {
  const withFactors = (change: (factors: SignInOptions) => SignInOptions) => () => createFactorsBench({}, change)

  test.each<[kind: string, change: (factors: SignInOptions) => SignInOptions]>([
    ['totp', ({ totp }) => ({ totp }) as SignInOptions],
    ['passkeys', ({ passkeys }) => ({ passkeys }) as SignInOptions],
  ])('is refused without recovery codes and documents, or who loses it would be locked out: %s', (_kind, change) => {
    const required = (name: string) => new TypeError(`"${name}" is required with "signIn.totp" or "signIn.passkeys"`)
    expect(withFactors(change)).toThrow(required('signIn.recoveryCodes'))
    const unstored = () => createFactorsBench({ options: { documents: undefined as never } })
    expect(unstored).toThrow(required('documents'))
  })

  test('a required second factor and trusted devices need a configured factor', () => {
    const required = { secondFactor: { required: 'all' } } as const
    const trusted = { trustedDevices: { days: 30 } }
    const inStead = ({ recoveryCodes }: SignInOptions) => ({ recoveryCodes }) as SignInOptions
    expect(withFactors((factors) => ({ ...inStead(factors), ...required }))).toThrow(
      new TypeError('"signIn.secondFactor" needs "signIn.totp" or "signIn.passkeys"'),
    )
    expect(withFactors((factors) => ({ ...inStead(factors), ...trusted }))).toThrow(
      new TypeError('"signIn.trustedDevices" needs "signIn.totp" or "signIn.passkeys"'),
    )
    expect(withFactors(({ totp: _totp, ...others }) => ({ ...others, ...required, ...trusted }))).not.toThrow()
    expect(withFactors(({ passkeys: _passkeys, ...others }) => ({ ...others, ...required, ...trusted }))).not.toThrow()
  })

  test('either kind can be configured alone, and recovery codes without a factor', () => {
    expect(withFactors(({ totp: _totp, ...others }) => others)).not.toThrow()
    expect(withFactors(({ passkeys: _passkeys, ...others }) => others)).not.toThrow()
    expect(withFactors(({ recoveryCodes }) => ({ recoveryCodes }) as SignInOptions)).not.toThrow()
  })

  test.each([
    ['totp', 'verify'],
    ['passkeys', 'finishSignIn'],
    ['recoveryCodes', 'verify'],
  ])('createAccounts refuses "%s" that has no "%s"', (name, method) => {
    const make = withFactors((factors) => ({ ...factors, [name]: {} }))
    expect(make).toThrow(new TypeError(`"signIn.${name}" must have "${method}", or be omitted`))
  })

  test('createAccounts refuses documents that are not a store of documents', () => {
    const make = () => createFactorsBench({ options: { documents: {} as never } })
    expect(make).toThrow(new TypeError('"documents" must be a document store'))
  })
})

describe('an option that is omitted:', () => {
  test('the default clock is the clock of the records', async () => {
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

test('createAccounts neither reads nor writes before the first call', () => {
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
  const { accounts, insert, outbox } = createBench({ options: { mails: { baseUrl: 'https://example.com/app//' } } })
  await insert()
  await accounts.requestPasswordReset({ email })
  await accounts.settled()
  expect(outbox[0]?.url).toMatch(/^https:\/\/example\.com\/app\/reset\?token=reset_[\w-]{22}\.[\w-]{43}$/)
})
