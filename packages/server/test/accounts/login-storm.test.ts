import { allowUnlimitedAttempts } from '@latchkey/accounts'
import { sha256 } from '@latchkey/bytes'
import { allowWeakHashes, createPasswordHasher, type PasswordEngine } from '@latchkey/password'
import { listen } from '@latchkey/server/node'
import { expect, test } from 'vitest'
import { createBench, password } from '../support/bench.ts'
import { createVisitor } from '../support/visitor.ts'

const logins = 300
const concurrency = 2
const queueLimit = 30

/** Begins with every hash at once and ends none before it is let go: what is accepted meanwhile is what has room. */
function createHeldEngine(): PasswordEngine & { readonly release: () => void; most(): number } {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  let running = 0
  let most = 0
  return {
    name: 'held',
    kinds: ['argon2id'],
    async run({ password: shown, salt }) {
      most = Math.max(most, ++running)
      await gate
      running--
      return sha256(new Uint8Array([...shown, ...salt]))
    },
    release: () => release(),
    most: () => most,
  }
}

test("three hundred concurrent sign-ins are answered up to the queue's limit, and refused with Retry-After beyond it", async () => {
  const engine = createHeldEngine()
  const argon2id = { memoryKib: 8, iterations: 1 }
  const options = { argon2id, strength: allowWeakHashes, concurrency, queueLimit } as const
  const passwords = createPasswordHasher({ ...options, engines: { argon2id: engine } })
  const ahead = createHeldEngine()
  ahead.release()
  const passwordHash = await createPasswordHasher({ ...options, engines: { argon2id: ahead } }).hash(password)
  // No sign-in is given up before all have arrived, even on a slow machine.
  const bench = createBench({
    options: {
      signIn: { passwordHasher: passwords, attemptLimits: allowUnlimitedAttempts },
      graphql: { requestLimits: { executionMs: 600_000 } },
    },
  })
  const { email } = await bench.insert({ passwordHash })
  const listener = await listen(({ port }) => bench.at(port), { port: 0, closeOn: [], print: null })
  const url = `http://127.0.0.1:${listener.port}`

  let refused = 0
  const answers = await Promise.all(
    Array.from({ length: logins }, async (_none, index) => {
      const isRight = index % 3 > 0
      const answer = await createVisitor(url).signIn(email, isRight ? password : 'otters read loudly at dusk')
      if (answer.status === 503 && ++refused === logins - concurrency - queueLimit) engine.release()
      return { isRight, ...answer }
    }),
  )
  const judged = answers.filter(({ status }) => status !== 503)
  expect(judged).toHaveLength(concurrency + queueLimit)
  for (const { isRight, data, codes } of judged) {
    expect([isRight, data?.signIn?.account?.email ?? null, codes]).toEqual(
      isRight ? [true, email, []] : [false, null, ['INVALID_CREDENTIALS']],
    )
  }
  for (const { codes, headers, cookies } of answers.filter(({ status }) => status === 503)) {
    expect([codes, cookies]).toEqual([['SERVICE_UNAVAILABLE'], []])
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  }
  expect(engine.most()).toBe(concurrency)
  expect(passwords.stats).toMatchObject({ running: 0, waiting: 0, evaluations: concurrency + queueLimit })
  await listener.close()
  await passwords.close()
})
