import { allowNativeDelivery } from '@latchkey/accounts'
import { codeAt } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'
import { type Bench, type BenchOptions, createBench, newPassword, password, passwords } from '../support/bench.ts'
import { createFactorBench, okData, operations, signInWithBoth, withTotp } from '../support/factor-bench.ts'
import { type Answer, copyOf, createVisitor, deliveries, outcomeOf, type Visitor } from '../support/visitor.ts'
import { life } from './operations.ts'

const createLifeBench = (options: BenchOptions['options'] = {}) =>
  createBench({ options: { ...options, sessions: { nativeDelivery: allowNativeDelivery, ...options.sessions } } })

let drawn = 0
const freeAddress = () => `free-${++drawn}@example.org`
const viewer = '{ viewer { id email } }'
const refusedLink = (answer: Answer) => [...outcomeOf(answer), answer.errors[0]?.extensions.field]
const isRefused = [200, 'BAD_USER_INPUT', 'input.token']
const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'

/** The token of the latest mail of a kind to an address. */
async function tokenOf({ outbox }: Bench, to: string, kind: string): Promise<string> {
  const find = () => outbox.findLast((mail) => mail.to === to && mail.kind === kind)
  await expect.poll(find).toBeDefined()
  return new URL(find()?.url ?? '').searchParams.get('token') ?? ''
}

async function askFor(bench: Bench, visitor: Visitor, { from, to }: { readonly from: string; readonly to: string }) {
  const asked = await visitor.ask(life.requestEmailChange, { input: { newEmail: to } })
  expect(asked.data).toEqual({ requestEmailChange: true })
  return {
    confirm: await tokenOf(bench, to, 'confirm-email-change'),
    undo: await tokenOf(bench, from, 'email-change-notice'),
  }
}

describe.each(deliveries)('a change of address, by %s,', (delivery) => {
  test('happens by the mail to the new address, keeps the requesting session, and revokes all others', async () => {
    const bench = createLifeBench()
    const reader = await bench.signedIn('READER', delivery)
    const { id, email: from } = reader.account
    const elsewhere = bench.visitor()
    await elsewhere.signIn(from, password, delivery)
    const to = freeAddress()
    const { confirm } = await askFor(bench, reader, { from, to })
    expect((await reader.ask(viewer)).data.viewer.email).toBe(from)
    const confirmed = await bench.visitor().ask(life.confirmEmailChange, { input: { token: confirm } })
    expect([confirmed.data, confirmed.cookies]).toEqual([{ confirmEmailChange: true }, []])
    expect((await reader.ask(viewer)).data.viewer).toEqual({ id, email: to })
    expect(outcomeOf(await elsewhere.ask(viewer))).toEqual([401, 'UNAUTHENTICATED'])
    expect((await bench.visitor().signIn(to, password)).status).toBe(200)
    expect(outcomeOf(await bench.visitor().signIn(from, password))).toEqual([401, 'INVALID_CREDENTIALS'])
    const again = await bench.visitor().ask(life.confirmEmailChange, { input: { token: confirm } })
    expect(refusedLink(again)).toEqual(isRefused)
  })

  test.each(['before it is confirmed', 'after it was confirmed'])(
    'is undone %s by the mail to the old address, which revokes all sessions and resets the password',
    async (when) => {
      const bench = createLifeBench()
      const thief = await bench.signedIn('READER', delivery)
      const { id, email: from } = thief.account
      const to = freeAddress()
      const { confirm, undo } = await askFor(bench, thief, { from, to })
      const confirming = () => bench.visitor().ask(life.confirmEmailChange, { input: { token: confirm } })
      if (when.startsWith('after')) await confirming()
      const owner = bench.visitor()
      expect((await owner.ask(life.undoEmailChange, { input: { token: undo } })).data).toEqual({
        undoEmailChange: true,
      })
      expect(outcomeOf(await thief.ask(viewer))).toEqual([401, 'UNAUTHENTICATED'])
      expect(refusedLink(await confirming())).toEqual(isRefused)
      for (const address of [from, to]) {
        expect(outcomeOf(await bench.visitor().signIn(address, password))).toEqual([401, 'INVALID_CREDENTIALS'])
      }
      const token = await tokenOf(bench, from, 'choose-password')
      const reset = 'mutation ($input: ResetPasswordInput!) { resetPassword(input: $input) }'
      okData(await owner.ask(reset, { input: { token, newPassword } }))
      expect((await owner.signIn(from, newPassword, delivery)).status).toBe(200)
      expect((await owner.ask(viewer)).data.viewer).toEqual({ id, email: from })
      const again = await owner.ask(life.undoEmailChange, { input: { token: undo } })
      expect(refusedLink(again)).toEqual(isRefused)
    },
  )
})

describe('an undone change of address', () => {
  test('keeps the factors that were added before the change', async () => {
    const bench = createFactorBench()
    const person = await withTotp(bench)
    await signInWithBoth(person, 'SESSION')
    const { email: from, id } = person.account
    const { undo } = await askFor(bench, person, { from, to: freeAddress() })
    okData(await bench.visitor().ask(life.undoEmailChange, { input: { token: undo } }))
    expect((await bench.stores.accounts.get(id))?.enrolled).toEqual(['totp'])
    expect(bench.events.find(({ type }) => type === 'email-change.undone')).toMatchObject({
      accountId: id,
      factors: [],
    })
  })

  test('removes factors that were added after the change', async () => {
    const bench = createFactorBench()
    const thief = await bench.signedIn()
    const { email: from, id } = thief.account
    const { undo } = await askFor(bench, thief, { from, to: freeAddress() })
    bench.advance(60)
    const { secret } = okData(await thief.ask(operations.enroll)).startTotpEnrollment
    okData(await thief.ask(operations.confirm, { input: { code: codeAt(secret, bench.clock.time) } }))
    expect((await bench.stores.accounts.get(id))?.enrolled).toEqual(['totp'])
    okData(await bench.visitor().ask(life.undoEmailChange, { input: { token: undo } }))
    expect((await bench.stores.accounts.get(id))?.enrolled).toEqual([])
    expect(bench.events.find(({ type }) => type === 'email-change.undone')).toMatchObject({
      factors: ['totp', 'recovery-code'],
    })
  })
})

test('a change with undoDays: 0 needs the confirmation of both addresses in any order, and cannot be undone', async () => {
  const bench = createLifeBench({ accounts: { emailUndoDays: 0 } })
  const reader = await bench.signedIn()
  const { email: from } = reader.account
  const to = freeAddress()
  okData(await reader.ask(life.requestEmailChange, { input: { newEmail: to } }))
  const tokens = [await tokenOf(bench, from, 'email-change-notice'), await tokenOf(bench, to, 'confirm-email-change')]
  const confirm = (token: string) => bench.visitor().ask(life.confirmEmailChange, { input: { token } })
  expect((await confirm(tokens[0] ?? '')).data).toEqual({ confirmEmailChange: true })
  expect((await reader.ask(viewer)).data.viewer.email).toBe(from)
  expect((await confirm(tokens[1] ?? '')).data).toEqual({ confirmEmailChange: true })
  expect((await reader.ask(viewer)).data.viewer.email).toBe(to)
  const undone = await bench.visitor().ask(life.undoEmailChange, { input: { token: tokens[0] } })
  expect(refusedLink(undone)).toEqual(isRefused)
})

describe('the link of a change of address', () => {
  test("is bound to its purpose: a mail's token is refused for every other purpose", async () => {
    const bench = createLifeBench()
    const reader = await bench.signedIn()
    const { id, email: from } = reader.account
    const { confirm, undo } = await askFor(bench, reader, { from, to: freeAddress() })
    await bench.visitor().ask('mutation ($e: String!) { requestPasswordReset(input: { email: $e }) }', { e: from })
    const reset = await tokenOf(bench, from, 'reset-password')
    const before = await bench.stores.accounts.get(id)
    const tried: readonly (readonly [string, string])[] = [
      [life.confirmEmailChange, undo],
      [life.confirmEmailChange, reset],
      [life.undoEmailChange, confirm],
      [life.undoEmailChange, reset],
      ['mutation ($input: VerifyEmailInput!) { verifyEmail(input: $input) }', confirm],
    ]
    for (const [query, token] of tried) {
      expect(refusedLink(await bench.visitor().ask(query, { input: { token } }))).toEqual(isRefused)
    }
    expect(await bench.stores.accounts.get(id)).toEqual(before)
    expect((await bench.visitor().ask(life.confirmEmailChange, { input: { token: confirm } })).status).toBe(200)
  })

  test('expires after a day for the new address, and after undoDays for the old address', async () => {
    const bench = createLifeBench({
      accounts: { emailUndoDays: 2 },
      mails: { linkSeconds: { confirmEmailChange: 600 } },
    })
    const reader = await bench.signedIn()
    const { email: from } = reader.account
    const first = await askFor(bench, reader, { from, to: freeAddress() })
    bench.advance(601)
    const late = await bench.visitor().ask(life.confirmEmailChange, { input: { token: first.confirm } })
    expect(refusedLink(late)).toEqual(isRefused)
    bench.advance(2 * 86_400)
    const later = await bench.visitor().ask(life.undoEmailChange, { input: { token: first.undo } })
    expect(refusedLink(later)).toEqual(isRefused)
  })

  test('is not used by a GET, and not twice in one operation', async () => {
    const bench = createLifeBench()
    const reader = await bench.signedIn()
    const { confirm } = await askFor(bench, reader, { from: reader.account.email, to: freeAddress() })
    const query = `mutation { a: confirmEmailChange(input: { token: "${confirm}" }) }`
    const opened = await bench.visitor().get(`/graphql?query=${encodeURIComponent(query)}`)
    expect(opened.status).toBe(405)
    const twice = query.replace('}) }', `}) b: confirmEmailChange(input: { token: "${confirm}" }) }`)
    expect(outcomeOf(await bench.visitor().ask(twice))).toEqual([400, 'QUERY_LIMIT_EXCEEDED'])
    expect((await bench.visitor().ask(life.confirmEmailChange, { input: { token: confirm } })).status).toBe(200)
    expect((await reader.ask(viewer)).data.viewer.email).toMatch(/^free-/)
  })
})

describe('the address of an account', () => {
  test.each([
    'two@example.org,one@example.org',
    'two@example.org one@example.org',
    'line@example.org\nbcc: one@example.org',
    'full\uff20example.org',
    `${'x'.repeat(250)}@example.org`,
    'nobody',
  ])('is not changed to %j', async (newEmail) => {
    const bench = createLifeBench()
    const reader = await bench.signedIn()
    const refused = await reader.ask(life.requestEmailChange, { input: { newEmail } })
    expect([...outcomeOf(refused), refused.errors[0]?.extensions.field]).toEqual([
      200,
      'BAD_USER_INPUT',
      'input.newEmail',
    ])
    await (await bench.server.accounts()).settled()
    expect(bench.outbox).toEqual([])
  })

  test('stays reserved after a change: sign-ups and other accounts cannot take it, and its mailbox gets a notice', async () => {
    const bench = createLifeBench()
    const [reader, other] = [await bench.signedIn(), await bench.signedIn()]
    const { email: from } = reader.account
    const { confirm, undo } = await askFor(bench, reader, { from, to: freeAddress() })
    okData(await bench.visitor().ask(life.confirmEmailChange, { input: { token: confirm } }))
    okData(await bench.visitor().ask(signUp, { input: { email: from, password, name: 'Thief' } }))
    okData(await other.ask(life.requestEmailChange, { input: { newEmail: from } }))
    await (await bench.server.accounts()).settled()
    const told = bench.outbox.filter(({ to }) => to === from).map(({ kind }) => kind)
    expect(told).toEqual(['email-change-notice', 'email-changed', 'account-exists', 'account-exists'])
    okData(await bench.visitor().ask(life.undoEmailChange, { input: { token: undo } }))
    expect((await bench.stores.accounts.getByEmail(from))?.id).toBe(reader.account.id)
  })
})

/** Everything that leaves the service, but for the id of the request. */
function bytesOf({ status, headers, text }: Answer): string {
  return JSON.stringify([status, [...headers].filter(([name]) => name !== 'x-request-id'), text])
}

describe('the existence of an account stays hidden', () => {
  const shown = {
    'a change of address': (email: string, reader: Visitor) =>
      reader.ask(life.requestEmailChange, { input: { newEmail: email } }),
    'a sign-up': (email: string, _reader: Visitor, stranger: Visitor) =>
      stranger.ask(signUp, { input: { email, password, name: 'Ada' } }),
  }

  test.each(Object.entries(shown))(
    'in %s: bytes, hashes and calls of stores are the same, and no link is stored',
    async (asked, ask) => {
      const calls: string[] = []
      const made: string[] = []
      const bench = createBench({
        around: async (call, run) => {
          calls.push(call)
          return run()
        },
      })
      const settled = async () => (await bench.server.accounts()).settled()
      // What follows the answer begins in a later turn.
      const watched = {
        async fetch(request: Request): Promise<Response> {
          await settled()
          calls.length = 0
          const response = await bench.server.fetch(request)
          made.splice(0, Infinity, ...calls)
          return response
        },
      }
      const reader = copyOf(await bench.signedIn(), createVisitor(watched))
      const reserving = await bench.signedIn()
      const { confirm } = await askFor(bench, reserving, { from: reserving.account.email, to: freeAddress() })
      okData(await bench.visitor().ask(life.confirmEmailChange, { input: { token: confirm } }))
      const addresses = {
        free: freeAddress(),
        taken: (await bench.insert()).email,
        reserved: reserving.account.email,
        locked: (await bench.insert({ status: 'locked' })).email,
        unverified: (await bench.insert({ status: 'unverified' })).email,
      }
      // The first request for a change marks the account, and each later one extends the mark.
      await ask(freeAddress(), reader, createVisitor(watched))
      const written = asked === 'a change of address' ? ['records.touch'] : []
      const seen = new Map<string, unknown>()
      for (const [what, email] of Object.entries(addresses)) {
        const before = passwords.stats.evaluations
        const answer = await ask(email, reader, createVisitor(watched))
        const bytes = bytesOf(answer).replace(/__Host-sign-up=[\w.-]+/, '')
        seen.set(what, [bytes, passwords.stats.evaluations - before, [...made]])
      }
      expect(made.length).toBeGreaterThan(0)
      expect(made.filter((call) => /\.(?:insert|replace|remove|reserve|hit|append|touch)/.test(call))).toEqual(written)
      const [free] = seen.values()
      for (const [what, found] of seen) expect([what, found]).toEqual([what, free])
    },
  )
})
