import { describe, expect, test } from 'vitest'
import { createCountingEngine, everywhere } from './own-engine.ts'
import { createWeakHasher } from './weak-hasher.ts'

const engine = createCountingEngine()
const hasher = createWeakHasher({ engines: everywhere(engine) })
const older = createWeakHasher({ bcrypt: { cost: 4 } })
const weaker = createWeakHasher({ argon2id: { memoryKib: 32, iterations: 1 } })

const password = 'otters read quietly'
const current = await hasher.hash(password)
const ofOldAlgorithm = await older.hash(password)
const dueForRehash = await weaker.hash(password)
const wrapped = await hasher.wrap('5f4dcc3b5aa765d61d8327deb882cf99', { algorithm: 'md5' })

/** The account of each case as the store has it; what is answered beside the password is the caller's business. */
describe('the answer comes after exactly one hash', () => {
  test.each([
    ['an unknown account', password, null, false],
    ['a wrong password', 'otters read loudly', current, false],
    ['no password set', password, '', false],
    ['an account whose column was marked as disabled, with the right password', password, `!${current}`, false],
    ['an account whose column was marked as locked, with the right password', password, `*LK*${current}`, false],
    ['an account whose column was marked as locked, with a wrong one', 'otters read loudly', `*LK*${current}`, false],
    ['an old algorithm and the right password', password, ofOldAlgorithm, true],
    ['an old algorithm and a wrong password', 'otters read loudly', ofOldAlgorithm, false],
    ['a rehash that is due', password, dueForRehash, true],
    ['a wrapped digest', 'password', wrapped, true],
    ['a wrong password for a wrapped digest', 'passwort', wrapped, false],
    ['a password that is too long', 'x'.repeat(2000), current, false],
    ['a password with more than 72 bytes and a bcrypt hash', 'x'.repeat(73), ofOldAlgorithm, false],
    ['a password that is no text', undefined as unknown as string, current, false],
    ['the right password', password, current, true],
  ])('if the case is %s', async (_case, shown, stored, ok) => {
    const before = engine.jobs.length
    const evaluationsBefore = hasher.stats.evaluations
    expect(await hasher.verify(shown, stored)).toMatchObject({ ok })
    expect(engine.jobs.length - before).toBe(1)
    expect(hasher.stats.evaluations - evaluationsBefore).toBe(1)
  })

  test('without a stored hash, with the very work of a wrong password', async () => {
    const jobOf = async (stored: string | null) => {
      await hasher.verify('a password of no account', stored)
      const job = engine.jobs.at(-1)
      return { ...job, password: job?.password.length, salt: job?.salt.length }
    }
    const ofWrong = await jobOf(current)
    expect(await jobOf(null)).toEqual(ofWrong)
    expect(await jobOf('*')).toEqual(ofWrong)
    expect(await jobOf('$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$AAAA')).toEqual(ofWrong)
  })
})
