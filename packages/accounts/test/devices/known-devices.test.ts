import { createKnownDevices, type KnownDevices } from '@latchkey/accounts'
import { randomBytes } from '@latchkey/bytes'
import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createBench, email, newPassword, password, presentedBy } from '../bench.ts'

const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
/** Of a known device. */
const id = /^dev_[\w-]{16}$/
const account = { id: 'acc_1', epoch: 3, passwordHash: '$argon2id$one' }

function createTokens(options: Partial<Parameters<typeof createKnownDevices>[0]> = {}) {
  let time = 1_800_000_000_000
  const tokens = createKnownDevices({ secrets, now: () => time, ...options })
  const advance = (seconds: number) => {
    time += seconds * 1000
  }
  return { ...tokens, advance }
}

describe('a device token', () => {
  test('a device token is valid for its account only', () => {
    const { issue, recognize } = createTokens()
    const token = issue(account)
    expect(recognize(token, account)).toMatch(id)
    expect(recognize(token, { ...account, id: 'acc_2' })).toBeNull()
  })

  const changes: [string, Partial<Parameters<KnownDevices['issue']>[0]>, boolean][] = [
    ['a new password, which raises the epoch, makes it void', { epoch: 4, passwordHash: '$argon2id$two' }, false],
    ['a password that is removed makes it void', { epoch: 4, passwordHash: null }, false],
    ['a hash with other parameters leaves it', { passwordHash: '$argon2id$two' }, true],
    ['other roles, which raise the epoch, leave it', { epoch: 4 }, true],
  ]
  test.each(changes)('%s', (_what, change, isKnown) => {
    const tokens = createTokens()
    expect(tokens.recognize(tokens.issue(account), { ...account, ...change }) !== null).toBe(isKnown)
  })

  test('works for 180 days by default, or as long as the option says', () => {
    for (const [options, seconds] of [
      [{}, 15_552_000],
      [{ ttlSeconds: 60 }, 60],
    ] as const) {
      const tokens = createTokens(options)
      const token = tokens.issue(account)
      tokens.advance(seconds - 1)
      expect(tokens.recognize(token, account)).toMatch(id)
      tokens.advance(1)
      expect(tokens.recognize(token, account)).toBeNull()
    }
  })

  test('names the last five accounts of a device, each once, and no id', () => {
    const { issue, recognize } = createTokens()
    const accounts = Array.from({ length: 7 }, (_, index) => ({ ...account, id: `acc_${index}` }))
    let token: string | null = null
    for (const each of [...accounts, ...accounts.slice(5)]) token = issue(each, token)
    expect(accounts.map((each) => recognize(token, each) !== null)).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
      true,
    ])
    expect(token?.split('~')).toHaveLength(5)
    expect(token).not.toContain('acc_')
    expect(token).toMatch(/^[\w.~-]{1,600}$/)
  })

  test('a device token of a rotated secret is recognized while the secret is configured', () => {
    const token = createTokens().issue(account)
    const next = { id: 'b', bytes: randomBytes(32) }
    expect(createTokens({ secrets: [next, ...secrets] }).recognize(token, account)).toMatch(id)
    expect(createTokens({ secrets: [next] }).recognize(token, account)).toBeNull()
    const renewed = createTokens({ secrets: [next, ...secrets] }).issue(account, token)
    expect(createTokens({ secrets: [next] }).recognize(renewed, account)).toMatch(id)
  })

  test('a device token of the previous release is recognized, by the epoch or by the password alone', () => {
    const { recognize } = createTokens({ secrets: [{ id: '2026-01', bytes: new Uint8Array(32).fill(7) }] })
    const stored = '2026-01.gLo7HpDzNUmHvMSOKjFuHA.1815552000.hXG68NmFBacaCnpgRko27g.P1D_rC6QM03NGX6VSqzRoA'
    const device = 'dev_1gzJVNcZNtvolWca'
    expect(recognize(stored, { ...account, passwordHash: '$argon2id$two' })).toBe(device)
    expect(recognize(stored, { ...account, epoch: 4 })).toBe(device)
    expect(recognize(stored, { ...account, epoch: 4, passwordHash: '$argon2id$two' })).toBeNull()
  })

  test('a device token of the greatest length is recognized', () => {
    const longest = [{ id: 'i'.repeat(32), bytes: randomBytes(32) }] as const
    const { issue, recognize } = createTokens({ secrets: longest, now: () => 100_000_000_000_000 })
    const accounts = Array.from({ length: 5 }, (_, index) => ({ ...account, id: `acc_${index}` }))
    let token: string | null = null
    for (const each of accounts) token = issue(each, token)
    expect(token).toHaveLength(5 * 114 + 4)
    for (const each of accounts) expect(recognize(token, each)).toMatch(id)
  })

  test.each([1, 34_560_000])('a device token may expire after %d seconds', (ttlSeconds) => {
    const tokens = createTokens({ ttlSeconds })
    expect(tokens.recognize(tokens.issue(account), account)).toMatch(id)
  })

  const hostile: [string, (token: string) => unknown][] = [
    ['nothing', () => null],
    ['an empty text', () => ''],
    ['no text', () => 7],
    ['a list', (token) => [token]],
    ['a megabyte', (token) => `${token}~`.repeat(8000)],
    ['another key id', (token) => token.replace(/^a/, 'b')],
    ['a later end', (token) => token.replace(/\.(\d+)\./, (_all, end) => `.${Number(end) + 1}.`)],
    ['an end in another spelling', (token) => token.replace(/\.(\d+)\./, '.0$1.')],
    ['another nonce', (token) => token.replace(/^a\../, (start) => (start === 'a.A' ? 'a.B' : 'a.A'))],
    ['codes without their ends', (token) => token.replace(/.{22}\..{22}$/, '.')],
    ['codes of zeros', (token) => token.replace(/.{22}\..{22}$/, `${'A'.repeat(22)}.${'A'.repeat(22)}`)],
    ['something before it', (token) => `!${token}`],
    ['padding', (token) => `${token}=`],
    ['a line break', (token) => `${token}\n`],
  ]
  test.each(hostile)('a device token with %s is not recognized', (_what, spoil) => {
    const { issue, recognize } = createTokens()
    expect(recognize(spoil(issue(account)) as string, account)).toBeNull()
  })

  test('a device token of any text is not recognized, and does not throw', () => {
    const { issue, recognize } = createTokens()
    const shape = fc.stringMatching(/^a\.[\w-]{22}\.\d{1,12}\.[\w-]{22}\.[\w-]{22}(~.{0,9})?$/)
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: anyCharacter }), shape), (text) => {
        expect(recognize(text, account)).toBeNull()
        expect(recognize(issue(account, text), account)).toMatch(id)
      }),
    )
  })

  test.each([
    [{ secrets: [] as never }, '"secrets" must be a list'],
    [{ ttlSeconds: 0 }, '"ttlSeconds" must be a whole number of seconds from 1 to 34560000'],
    [{ ttlSeconds: 1.5 }, '"ttlSeconds" must be'],
    [{ ttlSeconds: 34_560_001 }, '"ttlSeconds" must be'],
    [{ ttlSecond: 1 } as object, 'createKnownDevices has no option "ttlSecond". Did you mean "ttlSeconds"?'],
  ])('cannot be made with %j', (options, message) => {
    expect(() => createTokens(options)).toThrow(message)
    expect(() => createTokens(options)).toThrow(TypeError)
  })
})

describe('a device token is given', () => {
  test.each(['session', 'token'] as const)(
    'by a sign-in with delivery %s, for the accounts of the device',
    async (delivery) => {
      const bench = createBench()
      const one = await bench.insert()
      const other = await bench.insert({ email: 'other@example.com' })
      const first = await bench.signIn({ delivery })
      const second = await bench.signIn({ email: other.email, delivery, attempt: presentedBy(first.deviceToken) })
      expect(second.deviceToken?.split('~')).toHaveLength(2)
      expect(one.id).not.toBe(other.id)
    },
  )

  test('by a completed reset and a change of the password, replacing the invalidated token', async () => {
    const bench = createBench()
    await bench.insert()
    const { deviceToken: shown } = await bench.signIn()
    await bench.accounts.requestPasswordReset({ email })
    const input = { token: await bench.mailedToken(), newPassword, attempt: presentedBy(shown) }
    const reset = await bench.accounts.resetPassword(input)
    const { identity } = await bench.signIn({ password: newPassword })
    const changed = await bench.accounts.changePassword({
      identity,
      currentPassword: newPassword,
      newPassword: password,
    })
    for (const [given, isVoid] of [
      [shown, true],
      [reset.ok && 'deviceToken' in reset ? reset.deviceToken : null, true],
      [changed.ok ? changed.deviceToken : null, false],
    ] as const) {
      expect(given).toMatch(/^a\.[^~]+$/)
      await bench.accounts.settled()
      bench.outbox.length = 0
      bench.advance(3600)
      for (let asked = 0; asked < 4; asked++) await bench.accounts.requestPasswordReset({ email })
      await bench.accounts.requestPasswordReset({ email, attempt: presentedBy(given) })
      await bench.accounts.settled()
      expect(bench.outbox).toHaveLength(isVoid ? 3 : 4)
    }
  })

  test('a refused sign-in returns no device token', async () => {
    const { accounts, insert } = createBench()
    await insert()
    expect(await accounts.signIn({ email, password: newPassword, delivery: 'session' })).not.toHaveProperty(
      'deviceToken',
    )
  })
})
