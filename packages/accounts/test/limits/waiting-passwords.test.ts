import { setImmediate } from 'node:timers/promises'
import { unknownAttempt } from '@latchkey/accounts'
import { sha256 } from '@latchkey/bytes'
import { allowWeakHashes, createPasswordHasher, type PasswordEngine } from '@latchkey/password'
import { expect, test } from 'vitest'
import { type Bench, createBench, email, newPassword, password } from '../bench.ts'

const queueLimit = 3
const many = Array.from({ length: 20 }, (_, index) => index)

/** Ends a hash at once, or, while it is held, once it is let go. */
function createGatedEngine(): PasswordEngine & { hold(): () => void } {
  let gate: Promise<void> | null = null
  return {
    name: 'gated',
    kinds: ['argon2id'],
    async run({ password: shown, salt }) {
      if (gate) await gate
      return sha256(new Uint8Array([...shown, ...salt]))
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return resolve
    },
  }
}

/** What a stranger can have hashed, as often as they like. */
const floods: readonly (readonly [
  what: string,
  prepare: (bench: Bench) => Promise<(index: number) => Promise<unknown>>,
])[] = [
  [
    'sign-ups',
    async ({ accounts }) =>
      (index) =>
        accounts.signUp({ email: `ada${index}@example.net`, password, name: 'Ada' }),
  ],
  [
    'new passwords by one link',
    async ({ accounts, insert, mailedToken }) => {
      const { email: to } = await insert({ id: 'acc_eve', email: 'eve@example.net' })
      await accounts.requestPasswordReset({ email: to })
      const token = await mailedToken()
      return () => accounts.resetPassword({ token, newPassword })
    },
  ],
  [
    'passwords beside the link of one sign-up',
    async ({ accounts, mailedToken }) => {
      await accounts.signUp({ email: 'eve@example.net', password, name: 'Eve' })
      const token = await mailedToken()
      return () => accounts.verifyEmail({ token, password: newPassword })
    },
  ],
]

test.each(floods)('a sign-in gets a place while any number of %s wait', async (_what, prepare) => {
  const engine = createGatedEngine()
  const passwords = createPasswordHasher({
    argon2id: { memoryKib: 8, iterations: 1 },
    strength: allowWeakHashes,
    engines: { argon2id: engine },
    concurrency: 2,
    queueLimit,
  })
  const bench = createBench({ options: { passwordHasher: passwords } })
  await bench.insert({ passwordHash: await passwords.hash(password) })
  const flood = await prepare(bench)
  const release = engine.hold()
  const flooding = Promise.allSettled(many.map(flood))
  await expect.poll(() => passwords.stats.waiting + passwords.stats.waitingIdle).toBe(queueLimit)
  const signingIn = bench.accounts.signIn({ email, password, delivery: 'session' })
  // It reaches the hasher without waiting for anything but stores in memory.
  signingIn.catch(() => undefined)
  await setImmediate()
  release()
  expect(await signingIn).toMatchObject({ ok: true, status: 'signed-in' })
  const refused = (await flooding).filter((one) => one.status === 'rejected').map(({ reason }) => reason.code)
  expect(refused).toContain('PASSWORD_HASHER_UNAVAILABLE')
  expect(new Set(refused)).toEqual(new Set(['PASSWORD_HASHER_UNAVAILABLE']))
})

test.each(floods)(
  'other visitors have their turns while any number of %s of one address wait',
  async (_what, prepare) => {
    const engine = createGatedEngine()
    const passwords = createPasswordHasher({
      argon2id: { memoryKib: 8, iterations: 1 },
      strength: allowWeakHashes,
      engines: { argon2id: engine },
      concurrency: 2,
      queueLimit,
    })
    const bench = createBench({ options: { passwordHasher: passwords } })
    const flood = await prepare(bench)
    const release = engine.hold()
    const flooding = Promise.allSettled(many.map(flood))
    await expect.poll(() => passwords.stats.waitingIdle).toBe(queueLimit)
    const attempt = { ...unknownAttempt, address: '203.0.113.7' }
    const signingUp = bench.accounts.signUp({ email, password, name: 'Grace', attempt })
    await setImmediate()
    release()
    expect(await signingUp).toMatchObject({ accepted: true })
    expect((await flooding).filter(({ status }) => status === 'rejected').length).toBeGreaterThan(
      many.length - queueLimit - 2,
    )
  },
)
