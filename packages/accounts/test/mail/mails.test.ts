import type { Mailer } from '@latchkey/accounts'
import { describe, expect, test, vi } from 'vitest'
import { createBench, email, newPassword, password, type TestOptions } from '../bench.ts'

const failing: [string, Mailer['send']][] = [
  ['rejects', () => Promise.reject(new Error(`550 no mailbox ${email}`))],
  [
    'throws at once',
    () => {
      throw new Error(`550 no mailbox ${email}`)
    },
  ],
]

describe.each(failing)('a mailer that %s', (_what, send) => {
  test('changes no answer and is an event without the address', async () => {
    const { accounts, insert, events } = createBench({ options: { mails: { mailer: { send } } } })
    const { id } = await insert()
    expect(await accounts.requestPasswordReset({ email })).toBe(true)
    expect(await accounts.signUp({ email, password, name: 'A Reader' })).toMatchObject({ accepted: true })
    expect(await accounts.signUp({ email: 'new@example.com', password, name: 'A Reader' })).toMatchObject({
      accepted: true,
    })
    await accounts.settled()
    const failures = events.filter(({ type }) => type === 'mail.failed')
    expect(failures).toMatchObject([
      { type: 'mail.failed', purpose: 'reset-password', accountId: id, failure: 'Error', at: 1_800_000_000_000 },
      { type: 'mail.failed', purpose: 'account-exists', accountId: id, failure: 'Error', at: 1_800_000_000_000 },
      { type: 'mail.failed', purpose: 'verify-address', accountId: null, failure: 'Error', at: 1_800_000_000_000 },
    ])
    expect(JSON.stringify(events)).not.toContain('@')
  })

  test('undoes no change of password, and is an event without the address', async () => {
    const { accounts, insert, signIn, events } = createBench({ options: { mails: { mailer: { send } } } })
    const { id: accountId } = await insert()
    const { identity } = await signIn()
    expect(await accounts.changePassword({ identity, currentPassword: password, newPassword })).toMatchObject({
      ok: true,
    })
    await accounts.settled()
    const failed = { type: 'mail.failed', purpose: 'password-changed', accountId, failure: 'Error', channel: 'native' }
    expect(events.at(-1)).toMatchObject(failed)
    expect(JSON.stringify(events)).not.toContain('@')
    expect((await signIn({ password: newPassword })).status).toBe('signed-in')
  })
})

test('no answer waits for a mailer that hangs', async () => {
  let release = () => {}
  const hanging = new Promise<void>((resolve) => {
    release = resolve
  })
  const { accounts, insert } = createBench({ options: { mails: { mailer: { send: () => hanging } } } })
  await insert()
  expect(await accounts.requestPasswordReset({ email })).toBe(true)
  expect(await accounts.signUp({ email, password, name: 'A Reader' })).toMatchObject({ accepted: true })
  release()
  await accounts.settled()
})

describe('a mail starts at a random moment', () => {
  test.each([
    ['up to two seconds after the answer by default', undefined, 2000],
    ['up to as much later as the option says', 300, 300],
  ])('%s', async (_what, maxDelayMs, most) => {
    const delays: number[] = []
    const timer = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, delay: number) => {
      delays.push(delay)
      queueMicrotask(run)
    }) as unknown as typeof setTimeout)
    const { accounts, insert, outbox } = createBench({ options: { mails: { maxDelayMs } } as TestOptions })
    for (let asked = 0; asked < 100; asked++) {
      const { email } = await insert({ email: `reader${asked}@example.com` })
      await accounts.requestPasswordReset({ email })
    }
    await accounts.settled()
    timer.mockRestore()
    expect(outbox).toHaveLength(100)
    expect(delays).toHaveLength(100)
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...delays)).toBeLessThanOrEqual(most)
    expect(Math.max(...delays)).toBeGreaterThan(most * 0.8)
    expect(Math.min(...delays)).toBeLessThan(most * 0.2)
  })

  test('mails are sent before settled() resolves', async () => {
    const { accounts, insert, outbox } = createBench({ options: { mails: { maxDelayMs: 50 } } })
    await insert()
    for (let asked = 0; asked < 3; asked++) await accounts.requestPasswordReset({ email })
    await accounts.settled()
    expect(outbox).toHaveLength(3)
  })
})

test('two mails for one address differ in the time that they name', async () => {
  const { accounts, insert, outbox, advance } = createBench()
  await insert()
  for (const address of [email, 'new@example.com']) {
    await accounts.signUp({ email: address, password, name: 'A Reader' })
    advance(61)
  }
  await accounts.requestPasswordReset({ email })
  await accounts.settled()
  const times = outbox.map(({ text }) => /on January 15, 2027 at (\d\d:\d\d:\d\d) UTC/.exec(text)?.[1])
  expect(times).toEqual(['08:00:00', '08:01:01', '08:02:02'])
})

test('an account store that is down is an outage, for known and unknown addresses alike', async () => {
  const { accounts } = createBench({ aroundAccounts: () => Promise.reject(new Error('down')) })
  await expect(accounts.requestPasswordReset({ email })).rejects.toThrow('down')
  await expect(accounts.signUp({ email, password, name: 'A Reader' })).rejects.toThrow('down')
  await expect(accounts.signIn({ email, password, delivery: 'session' })).rejects.toThrow('down')
})

describe('the mails of one request', () => {
  test('mails of a request are passed to its platform only', async () => {
    let release = () => {}
    const hanging = new Promise<void>((resolve) => {
      release = resolve
    })
    const { accounts, insert } = createBench({ options: { mails: { mailer: { send: () => hanging } } } })
    await insert()
    const works: Promise<unknown>[] = []
    const [own, other] = [{ waitUntil: (work: Promise<unknown>) => void works.push(work) }, { waitUntil: vi.fn() }]
    expect(await accounts.forRequest(own).requestPasswordReset({ email })).toBe(true)
    await accounts.forRequest(other).list()
    expect([works.length, other.waitUntil.mock.calls.length]).toEqual([1, 0])
    release()
    await Promise.all(works)
    await accounts.settled()
  })

  test('mails are sent even if the request has no platform', async () => {
    const { accounts, insert, outbox } = createBench()
    await insert()
    expect(accounts.forRequest({})).toBe(accounts)
    await accounts.forRequest({}).requestPasswordReset({ email })
    await accounts.settled()
    expect(outbox).toHaveLength(1)
  })
})
