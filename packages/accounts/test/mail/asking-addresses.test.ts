import { unknownAttempt } from '@latchkey/accounts'
import { createMemoryCounterStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, email, joinOptions, password } from '../bench.ts'

const limit = 4
const from = (address: string | null, deviceToken: string | null = null) => ({
  ...unknownAttempt,
  address,
  deviceToken,
})
const eve = '203.0.113.9'

/** What anybody may ask for, to any address. */
const ways: readonly (readonly [
  what: string,
  ask: (bench: Bench, email: string, attempt: object) => Promise<unknown>,
])[] = [
  ['sign-ups', ({ accounts }, to, attempt) => accounts.signUp({ email: to, password, name: 'Ada', ...attempt })],
  ['resets', ({ accounts }, to, attempt) => accounts.requestPasswordReset({ email: to, ...attempt })],
  ['codes', ({ accounts }, to, attempt) => accounts.requestSignInCode({ email: to, ...attempt })],
]

const open = (options = {}) =>
  createBench({
    options: joinOptions({ signIn: { emailCode: {} }, mails: { requestsPerAddress: limit } }, options),
  })
const mailboxes = (count: number, name = 'reader') =>
  Array.from({ length: count }, (_, at) => `${name}${at}@example.com`)

/** Asks for mails to mailboxes, those of accounts but for sign-ups, and returns the answers. */
async function askFor(
  bench: Bench,
  [what, ask]: (typeof ways)[number],
  emails: readonly string[],
  attempt = from(eve),
) {
  const answers: unknown[] = []
  for (const to of emails) {
    if (what !== 'sign-ups' && !(await bench.store.getByEmail(to))) await bench.insert({ email: to })
    answers.push(await ask(bench, to, { attempt }))
  }
  await bench.accounts.settled()
  return answers
}
const shapeOf = (answer: unknown) => JSON.stringify(answer).replace(/"[^"]{20,}"/g, '"…"')
const recipients = ({ outbox }: Bench) => outbox.map(({ to }) => to)

describe.each(ways)('%s of one address', (...way) => {
  test('for many mailboxes send at most the hourly number of mails of an address, and all get the same answer', async () => {
    const bench = open()
    const emails = mailboxes(limit + 2)
    const answers = await askFor(bench, way, emails)
    expect(new Set(answers.map(shapeOf)).size).toBe(1)
    expect(recipients(bench)).toEqual(emails.slice(0, limit))
    expect(bench.events.filter(({ type }) => type === 'mail.withheld')).toHaveLength(2)
    bench.advance(3599)
    await askFor(bench, way, mailboxes(1, 'late'))
    expect(bench.outbox).toHaveLength(limit)
    bench.advance(1)
    await askFor(bench, way, mailboxes(1, 'later'))
    expect(recipients(bench).at(-1)).toBe('later0@example.com')
  })

  test('do not count for other addresses', async () => {
    const bench = open()
    await askFor(bench, way, mailboxes(limit + 1))
    await askFor(bench, way, mailboxes(1, 'other'), from('203.0.113.10'))
    expect(recipients(bench)).toEqual([...mailboxes(limit), 'other0@example.com'])
  })

  test('without a known address are not counted together', async () => {
    const bench = open()
    await askFor(bench, way, mailboxes(limit + 2), from(null))
    expect(bench.outbox).toHaveLength(limit + 2)
  })
})

test('requests of all kinds count together', async () => {
  const bench = open()
  for (const way of ways) await askFor(bench, way, mailboxes(2, way[0]))
  expect(bench.outbox).toHaveLength(limit)
})

test.each(['resets', 'codes'])('%s for unknown mailboxes count as those for known ones, in no store', async (what) => {
  const counters = createMemoryCounterStore()
  const hits: string[] = []
  const hit: typeof counters.hit = (key, ...rest) => {
    hits.push(key)
    return counters.hit(key, ...rest)
  }
  const bench = open({ counters: { ...counters, hit } })
  const ask = ways.find(([name]) => name === what)?.[1]
  for (const to of mailboxes(limit, 'nobody')) await ask?.(bench, to, { attempt: from(eve) })
  await bench.insert()
  await ask?.(bench, email, { attempt: from(eve) })
  await bench.accounts.settled()
  expect([bench.outbox, hits]).toEqual([[], []])
})

test('a known device gets its mail from an address that has reached its limit', async () => {
  const bench = open()
  await bench.insert()
  const { deviceToken } = await bench.signIn()
  await askFor(bench, ways[1] as (typeof ways)[number], mailboxes(limit + 1))
  await bench.accounts.requestPasswordReset({ email, attempt: from(eve) })
  await bench.accounts.settled()
  expect(recipients(bench)).not.toContain(email)
  await bench.accounts.requestPasswordReset({ email, attempt: from(eve, deviceToken) })
  await bench.accounts.settled()
  expect(recipients(bench)).toContain(email)
})

test('an address gets 1000 mails by default', async () => {
  const bench = createBench()
  await askFor(bench, ways[1] as (typeof ways)[number], mailboxes(1001))
  expect(bench.outbox).toHaveLength(1000)
})

test('requestsPerAddress may be one mail', async () => {
  const bench = open({ mails: { requestsPerAddress: 1 } })
  for (const way of ways) await askFor(bench, way, mailboxes(2, way[0]))
  expect(bench.outbox).toHaveLength(1)
})

test.each([0, 1.5, -1, Number.NaN, '3', null])('%j is no number of mails', (requestsPerAddress) => {
  expect(() => createBench({ options: { mails: { requestsPerAddress } as never } })).toThrow(
    new TypeError('"mails.requestsPerAddress" must be a whole number of at least 1'),
  )
})
