import { allowWeakHashes, createPasswordHasher } from '@latchkey/password'
import { expect, test } from 'vitest'
import { type Bench, createBench, newPassword, password, passwords } from '../support/bench.ts'
import { createVisitor, type Visitor } from '../support/visitor.ts'

/** A platform that ends with the response what it was not told to wait for: nothing else of this test waits either. */
function createPlatform({ server }: Bench): { readonly visitor: Visitor; settled(): Promise<number> } {
  const works: Promise<unknown>[] = []
  const waitUntil = (work: Promise<unknown>) => void works.push(work)
  return {
    visitor: createVisitor({ fetch: (request: Request) => server.fetch(request, { waitUntil }) }),
    async settled() {
      await Promise.all(works)
      return works.splice(0).length
    },
  }
}

const signUp = 'mutation ($input: SignUpInput!) { signUp(input: $input) { accepted } }'
const requestReset = 'mutation ($input: RequestPasswordResetInput!) { requestPasswordReset(input: $input) }'
const changePassword = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) }'

/** Long enough for a mail to leave after the answer, on any machine. */
const mailDelayMs = 300

test('the mail of a sign-up is passed to the platform', async () => {
  const bench = createBench({ options: { mails: { maxDelayMs: mailDelayMs } } })
  const { visitor, settled } = createPlatform(bench)
  await visitor.ask(signUp, { input: { email: 'new@example.com', password, name: 'A Reader' } })
  expect(await settled()).toBe(2)
  expect(bench.outbox).toMatchObject([{ to: 'new@example.com', url: expect.stringContaining('/verify') }])
})

test("the mail of a reset request and the work of its form are passed to the platform's waitUntil", async () => {
  const bench = createBench({ options: { mails: { maxDelayMs: mailDelayMs } } })
  const { email } = await bench.insert()
  const { visitor, settled } = createPlatform(bench)
  await visitor.ask(requestReset, { input: { email } })
  expect(await settled()).toBe(2)
  const token = new URL(bench.outbox[0]?.url ?? '').searchParams.get('token') ?? ''
  expect((await visitor.post('/reset', { token, password: newPassword })).status).toBe(200)
  expect(await settled()).toBe(2)
  expect(bench.outbox).toHaveLength(2)
})

test('the mail of a change of password is passed to the platform', async () => {
  const bench = createBench({ options: { mails: { maxDelayMs: mailDelayMs } } })
  const { email } = await bench.insert()
  const { visitor, settled } = createPlatform(bench)
  await visitor.signIn(email, password)
  await settled()
  const input = { currentPassword: password, newPassword }
  expect((await visitor.ask(changePassword, { input })).data).toEqual({ changePassword: true })
  expect(await settled()).toBe(2)
  expect(bench.outbox).toMatchObject([{ to: email }])
})

test('an outdated hash that is written anew is passed to the platform', async () => {
  const cost = { memoryKib: 16, iterations: 1 }
  const bench = createBench({
    options: { signIn: { passwordHasher: createPasswordHasher({ argon2id: cost, strength: allowWeakHashes }) } },
  })
  const { id, email } = await bench.insert({ passwordHash: await passwords.hash(password) })
  const { visitor, settled } = createPlatform(bench)
  await visitor.signIn(email, password)
  expect(await settled()).toBe(2)
  expect((await bench.stores.accounts.get(id))?.passwordHash).toContain('m=16,')
})

test('the use of a session that is written later is passed to the platform', async () => {
  const { promise: open, resolve: write } = Promise.withResolvers<void>()
  let isWritten = false
  const bench = createBench({
    around: async (method, run) => {
      if (method !== 'records.touch') return run()
      await open
      isWritten = true
      return run()
    },
  })
  const { email } = await bench.insert()
  const { visitor, settled } = createPlatform(bench)
  await visitor.signIn(email, password)
  await settled()
  bench.advance(61)
  expect((await visitor.ask('{ viewer { id } }')).status).toBe(200)
  expect(isWritten).toBe(false)
  write()
  expect(await settled()).toBe(2)
  expect(isWritten).toBe(true)
})

test('a request passes only its own work to waitUntil', async () => {
  const { promise: open, resolve: deliver } = Promise.withResolvers<void>()
  const bench = createBench({ options: { mails: { mailer: { send: () => open } } } })
  const { email } = await bench.insert()
  const [busy, idle] = [createPlatform(bench), createPlatform(bench)]
  const asked = busy.visitor.ask(requestReset, { input: { email } })
  await idle.visitor.ask('{ hello }')
  await asked
  expect(await idle.settled()).toBe(1)
  deliver()
  expect(await busy.settled()).toBe(2)
})

test('a service without waitUntil finishes its mails before it closes', async () => {
  const bench = createBench({ options: { mails: { maxDelayMs: mailDelayMs } } })
  const visitor = createVisitor(bench.server)
  await visitor.ask(signUp, { input: { email: 'new@example.com', password, name: 'A Reader' } })
  await bench.server.close()
  expect(bench.outbox).toHaveLength(1)
})
