import { createKnownDevices, type Message } from '@latchkey/accounts'
import { randomBytes } from '@latchkey/bytes'
import { type CounterStore, createMemoryCounterStore, StoreError } from '@latchkey/store'
import { describe, expect, test, vi } from 'vitest'
import { accountOf, type Bench, createBench, email, newPassword, password, presentedBy } from '../bench.ts'
import { createGate, delay } from '../stores/test-stores.ts'

const stranger = 'nobody@example.com'
const tokenOf = (url: string | null | undefined) => new URL(url ?? '').searchParams.get('token') ?? ''

interface Asking {
  readonly address?: string
  readonly deviceToken?: string | null
}

async function askTimes({ accounts }: Bench, times: number, { address = email, deviceToken = null }: Asking = {}) {
  for (let asked = 0; asked < times; asked++) {
    expect(await accounts.requestPasswordReset({ email: address, attempt: presentedBy(deviceToken) })).toBe(true)
  }
  await accounts.settled()
}

async function signUpTimes({ accounts }: Bench, times: number): Promise<void> {
  for (let asked = 0; asked < times; asked++) {
    expect(await accounts.signUp({ email, password, name: `Reader ${asked}` })).toMatchObject({ accepted: true })
  }
  await accounts.settled()
}

const withheld = ({ events }: Bench) => events.filter(({ type }) => type === 'mail.withheld')

/** Counters that keep the keys that were hit. */
function createSeenCounters(options: Partial<CounterStore> = {}): CounterStore & { readonly hits: string[] } {
  const counters = { ...createMemoryCounterStore(), ...options }
  const hits: string[] = []
  return {
    ...counters,
    hits,
    hit(key, ...rest) {
      hits.push(key)
      return counters.hit(key, ...rest)
    },
  }
}

describe('however often resets are requested', () => {
  test('the mailbox gets three mails within an hour, and a withheld mail emits an event', async () => {
    const bench = createBench()
    const { id: accountId } = await bench.insert()
    await askTimes(bench, 6)
    expect(bench.outbox).toHaveLength(3)
    const event = { type: 'mail.withheld', purpose: 'reset-password', accountId, at: bench.now() }
    expect(withheld(bench)).toMatchObject([event, event, event])
    bench.advance(3599)
    await askTimes(bench, 1)
    expect(bench.outbox).toHaveLength(3)
    bench.advance(1)
    await askTimes(bench, 6)
    expect(bench.outbox).toHaveLength(6)
  })

  test.each([
    ['that stores answer at once', {}],
    ['on slow stores', { aroundRecords: delay, aroundAccounts: delay }],
  ])('thirty of the same millisecond send at least one mail and at most three, %s', async (_what, around) => {
    const bench = createBench(around)
    await bench.insert()
    await Promise.all(Array.from({ length: 30 }, () => bench.accounts.requestPasswordReset({ email })))
    await bench.accounts.settled()
    expect(bench.outbox.length).toBeGreaterThanOrEqual(1)
    expect(bench.outbox.length).toBeLessThanOrEqual(3)
    for (const { url } of bench.outbox) {
      expect(await bench.accounts.checkLink({ purpose: 'reset-password', token: tokenOf(url) })).toMatchObject({
        ok: true,
      })
    }
  })

  test('each link that was sent works', async () => {
    for (const nth of [0, 1, 2]) {
      const bench = createBench()
      await bench.insert()
      await askTimes(bench, 8)
      await accountOf(bench.accounts.resetPassword({ token: tokenOf(bench.outbox[nth]?.url), newPassword }))
      expect((await bench.signIn({ password: newPassword })).status).toBe('signed-in')
    }
  })

  test('the answer goes out before any store is written, after the same read for known and unknown addresses', async () => {
    for (const [address, times] of [
      [email, 0],
      [email, 3],
      [stranger, 0],
      [stranger, 3],
    ] as const) {
      const calls: string[] = []
      const log = (method: string, run: () => Promise<unknown>) => {
        calls.push(method)
        return run()
      }
      const counters = createSeenCounters()
      const bench = createBench({ aroundAccounts: log, aroundRecords: log, options: { counters } })
      await bench.insert()
      await askTimes(bench, times, { address })
      calls.length = 0
      counters.hits.length = 0
      await bench.accounts.requestPasswordReset({ email: address })
      expect(calls).toEqual(['getByEmail'])
      expect(counters.hits).toEqual([])
      await bench.accounts.settled()
    }
  })

  test('unknown addresses and disabled accounts cause no link, no counter and no work', async () => {
    const calls: string[] = []
    const log = (method: string, run: () => Promise<unknown>) => {
      calls.push(method)
      return run()
    }
    const counters = createSeenCounters()
    const bench = createBench({ aroundAccounts: log, aroundRecords: log, options: { counters } })
    await bench.insert({ email: 'gone@example.com', status: 'disabled' })
    for (let asked = 0; asked < 500; asked++) {
      await bench.accounts.requestPasswordReset({ email: `nobody${asked}@example.com` })
      await bench.accounts.requestPasswordReset({ email: 'gone@example.com' })
    }
    await bench.accounts.settled()
    expect(new Set(calls)).toEqual(new Set(['getByEmail']))
    expect(counters.hits).toEqual([])
    expect(bench.outbox).toEqual([])
  })

  test('a flood counts no more requests than a mailbox may get mails', async () => {
    const counters = createSeenCounters()
    const bench = createBench({ options: { counters } })
    await bench.insert()
    await Promise.all(Array.from({ length: 2000 }, () => bench.accounts.requestPasswordReset({ email })))
    await bench.accounts.settled()
    expect(counters.hits).toHaveLength(3)
    expect(bench.outbox).toHaveLength(3)
    expect(withheld(bench)).toHaveLength(1997)
  })

  test('a flood while two mails are on their way hits the counter once more', async () => {
    const counters = createSeenCounters()
    const first = createGate()
    const others = createGate()
    const sent: string[] = []
    const mailer = { send: ({ to }: Message) => (sent.push(to) === 1 ? first : others).passed }
    const bench = createBench({ options: { counters, mails: { mailer } } })
    await bench.insert()
    const work: Promise<unknown>[] = []
    const asked = bench.accounts.forRequest({ waitUntil: (one) => void work.push(one) })
    const flood = (times: number) =>
      Promise.all(Array.from({ length: times }, () => asked.requestPasswordReset({ email })))
    await flood(3)
    await vi.waitFor(() => expect(sent).toHaveLength(3))
    first.open()
    await Promise.race(work)
    await flood(100)
    others.open()
    await Promise.all(work)
    expect(counters.hits).toHaveLength(4)
  })

  test('requests whose platforms wait for their work have no places of their own', async () => {
    const counters = createSeenCounters()
    const bench = createBench({ options: { counters } })
    await bench.insert()
    const work: Promise<unknown>[] = []
    const ask = () =>
      bench.accounts.forRequest({ waitUntil: (one) => void work.push(one) }).requestPasswordReset({ email })
    await Promise.all(Array.from({ length: 100 }, ask))
    await Promise.all(work)
    expect(work).toHaveLength(3)
    expect(counters.hits).toHaveLength(3)
    expect(bench.outbox).toHaveLength(3)
  })

  test('a flood on many accounts keeps ten thousand requests, and leaves room for known devices', async () => {
    const bench = createBench()
    const addresses = Array.from({ length: 10_010 }, (_, index) => `reader${index}@example.com`)
    for (const address of addresses) await bench.insert({ email: address, passwordHash: null })
    await bench.insert()
    const { deviceToken } = await bench.signIn()
    const flood = addresses.map((address) => bench.accounts.requestPasswordReset({ email: address }))
    await Promise.all([...flood, bench.accounts.requestPasswordReset({ email, attempt: presentedBy(deviceToken) })])
    await bench.accounts.settled()
    expect(withheld(bench)).toHaveLength(10)
    expect(bench.outbox).toHaveLength(10_001)
    await askTimes(bench, 1, { address: addresses.at(-1) ?? '' })
    expect(bench.outbox.at(-1)?.to).toBe(addresses.at(-1))
  })

  test('the counter holds no address', async () => {
    const counters = createSeenCounters()
    const bench = createBench({ options: { counters } })
    await bench.insert()
    await askTimes(bench, 1)
    expect(counters.hits).toEqual([expect.stringMatching(/^mail:reset:unknown:[\w-]{43}$/)])
  })

  test('several services that share counters send three together', async () => {
    const counters = createMemoryCounterStore()
    const account = { id: 'acc_shared' }
    const benches = [1, 2, 3, 4].map(() => createBench({ options: { counters } }))
    for (const bench of benches) await bench.insert(account)
    await Promise.all(benches.map((bench) => askTimes(bench, 5)))
    expect(benches.flatMap(({ outbox }) => outbox)).toHaveLength(3)
  })

  test('the sessions of the account are listed and revoked without reading links', async () => {
    const bench = createBench()
    const { id } = await bench.insert()
    const { identity } = await bench.signIn()
    await askTimes(bench, 5)
    const { items } = await bench.records.listByOwner(id)
    expect(items.map(({ key }) => key)).toEqual([identity.key])
  })

  test('other mailboxes get theirs', async () => {
    const bench = createBench()
    await bench.insert()
    await bench.insert({ email: 'other@example.com' })
    await askTimes(bench, 5)
    await askTimes(bench, 1, { address: 'other@example.com' })
    expect(bench.outbox.at(-1)?.to).toBe('other@example.com')
  })
})

describe('a device that has signed in to the account', () => {
  test('gets three more mails, even after many requests of strangers', async () => {
    const bench = createBench()
    await bench.insert()
    const { deviceToken } = await bench.signIn()
    await askTimes(bench, 6)
    expect(bench.outbox).toHaveLength(3)
    await askTimes(bench, 6, { deviceToken })
    expect(bench.outbox).toHaveLength(6)
    await accountOf(bench.accounts.resetPassword({ token: tokenOf(bench.outbox[5]?.url), newPassword }))
  })

  test('gets its mail while strangers send requests at the same time', async () => {
    const bench = createBench()
    await bench.insert()
    const { deviceToken } = await bench.signIn()
    const flood = Array.from({ length: 200 }, () => bench.accounts.requestPasswordReset({ email }))
    await Promise.all([...flood, bench.accounts.requestPasswordReset({ email, attempt: presentedBy(deviceToken) })])
    await bench.accounts.settled()
    expect(bench.outbox).toHaveLength(4)
  })

  const voided: [string, (bench: Bench, token: string) => Promise<string>][] = [
    [
      'whose token is of another account',
      async (bench) => {
        await bench.insert({ email: 'other@example.com' })
        return (await bench.signIn({ email: 'other@example.com' })).deviceToken ?? ''
      },
    ],
    [
      'whose token is older than the password',
      async (bench, token) => {
        const { identity } = await bench.signIn()
        await bench.accounts.changePassword({ identity, currentPassword: password, newPassword })
        return token
      },
    ],
    [
      'whose token is 180 days old',
      async (bench, token) => {
        bench.advance(15_552_000)
        return token
      },
    ],
    [
      'whose token was changed',
      async (_bench, token) => token.replace(/\.(\d+)\./, (_all, end) => `.${Number(end) + 1}.`),
    ],
    ['that shows nothing', async () => ''],
    [
      'whose token is of another service',
      async (bench) => {
        const account = await bench.store.getByEmail(email)
        const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
        return account ? createKnownDevices({ secrets, now: bench.now }).issue(account) : ''
      },
    ],
  ]
  test.each(voided)('counts as a stranger %s', async (_what, spoil) => {
    const bench = createBench()
    await bench.insert()
    const deviceToken = await spoil(bench, (await bench.signIn()).deviceToken ?? '')
    await bench.accounts.settled()
    bench.outbox.length = 0
    await askTimes(bench, 4)
    await askTimes(bench, 4, { deviceToken })
    expect(bench.outbox).toHaveLength(3)
  })

  test('without device tokens, strangers and the owner share one limit', async () => {
    const bench = createBench({ options: { signIn: { knownDevices: undefined as never } } })
    await bench.insert()
    expect((await bench.signIn()).deviceToken).toBeNull()
    await askTimes(bench, 4, { deviceToken: 'anything' })
    expect(bench.outbox).toHaveLength(3)
  })
})

describe('however often an address is signed up', () => {
  test('its mailbox gets three mails within an hour', async () => {
    const bench = createBench()
    await signUpTimes(bench, 6)
    expect(bench.outbox.map(({ text }) => text.includes('another request'))).toEqual([false, true, true])
    const event = { type: 'mail.withheld', purpose: 'verify-address', accountId: null, at: bench.now() }
    expect(withheld(bench)).toMatchObject([event, event, event])
    bench.advance(3600)
    await signUpTimes(bench, 1)
    expect(bench.outbox).toHaveLength(4)
  })

  test('the number is the same when the address has an account', async () => {
    const bench = createBench()
    const { id: accountId } = await bench.insert()
    await signUpTimes(bench, 6)
    expect(bench.outbox.map(({ subject }) => subject)).toEqual(new Array(3).fill('You already have an account'))
    const event = { type: 'mail.withheld', purpose: 'account-exists', accountId, at: bench.now() }
    expect(withheld(bench)).toMatchObject([event, event, event])
  })

  test('mails about sign-ups and about resets do not count together', async () => {
    const bench = createBench()
    await bench.insert()
    await signUpTimes(bench, 4)
    await askTimes(bench, 4)
    expect(bench.outbox).toHaveLength(6)
  })

  test('only a sent mail stores a sign-up', async () => {
    const bench = createBench()
    let inserted = 0
    const { insert } = bench.records
    Object.assign(bench.records, {
      insert: (...given: Parameters<typeof insert>) => {
        inserted += 1
        return insert(...given)
      },
    })
    await signUpTimes(bench, 6)
    expect(inserted).toBe(3)
  })
})

describe('a store that fails after the answer', () => {
  const failing = (): Promise<never> => Promise.reject(new StoreError('STORE_UNAVAILABLE', `down, at ${email}`))
  const ways: [string, Parameters<typeof createBench>[0]][] = [
    ['the counters', { options: { counters: createSeenCounters({ hit: failing }) } }],
    ['the records', { aroundRecords: (method, run) => (method === 'insert' ? failing() : run()) }],
  ]
  test.each(ways)('%s: no mail is sent, and it is an event without the address', async (_what, options) => {
    const bench = createBench(options)
    const { id } = await bench.insert()
    await askTimes(bench, 1)
    await bench.accounts.signUp({ email: 'new@example.com', password, name: 'A Reader' })
    await bench.accounts.settled()
    expect(bench.outbox).toEqual([])
    const failed = bench.events.filter(({ type }) => type === 'mail.failed')
    expect(failed).toMatchObject([
      { purpose: 'reset-password', accountId: id, failure: 'STORE_UNAVAILABLE' },
      { purpose: 'verify-address', accountId: null, failure: 'STORE_UNAVAILABLE' },
    ])
    expect(JSON.stringify(bench.events)).not.toContain('@')
  })
})
