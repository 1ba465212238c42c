import { describeHash } from '@latchkey/password'
import { afterAll, describe, expect, test } from 'vitest'
import { createCountingEngine } from './own-engine.ts'
import { closeHashers, createWeakHasher } from './weak-hasher.ts'

afterAll(closeHashers)

const older = { id: '2025', bytes: new Uint8Array(32).fill(1) }
const newer = { id: '2026', bytes: new Uint8Array(32).fill(2) }
const plain = createWeakHasher()
const before = createWeakHasher({ pepper: [older] })
const rotated = createWeakHasher({ pepper: [newer, older] })
const after = createWeakHasher({ pepper: [newer] })

describe('a pepper', () => {
  test('is named in the stored text, and its key is not', async () => {
    const stored = await before.hash('otters')
    expect(stored).toMatch(/^\$hmac-sha256\$k=2025\$argon2id\$v=19\$/)
    expect(describeHash(stored)?.pepperKeyId).toBe('2025')
    expect(await before.verify('otters', stored)).toEqual({ ok: true, needsRehash: false })
    expect(await before.verify('otter', stored)).toEqual({ ok: false, needsRehash: false })
  })

  test('rotates: all keys verify, the first key writes, and a login reports needsRehash', async () => {
    const stored = await before.hash('otters')
    expect(await rotated.verify('otters', stored)).toEqual({ ok: true, needsRehash: true })
    const next = await rotated.hash('otters')
    expect(describeHash(next)?.pepperKeyId).toBe('2026')
    expect(await rotated.verify('otters', next)).toEqual({ ok: true, needsRehash: false })
    expect(await after.verify('otters', next)).toEqual({ ok: true, needsRehash: false })
  })

  test('can be introduced: hashes without it verify and are due for a rehash', async () => {
    expect(await before.verify('otters', await plain.hash('otters'))).toEqual({ ok: true, needsRehash: true })
  })

  test('verifies no password if it is missing, which is counted', async () => {
    const stored = await before.hash('otters')
    expect(await plain.verify('otters', stored)).toEqual({ ok: false, needsRehash: false })
    expect(await after.verify('otters', stored)).toEqual({ ok: false, needsRehash: false })
    expect([plain.stats.unreadable, after.stats.unreadable]).toEqual([1, 1])
  })

  test('verifies no password with another key of the same id', async () => {
    const impostor = createWeakHasher({ pepper: [{ id: '2025', bytes: new Uint8Array(32).fill(9) }] })
    expect((await impostor.verify('otters', await before.hash('otters'))).ok).toBe(false)
  })

  test('cannot be taken off by editing the stored text', async () => {
    const stored = await before.hash('otters')
    expect((await before.verify('otters', stored.replace('$hmac-sha256$k=2025', ''))).ok).toBe(false)
    expect((await rotated.verify('otters', stored.replace('k=2025', 'k=2026'))).ok).toBe(false)
  })

  test('is in the work for an account that is not there', async () => {
    const engine = createCountingEngine()
    const hasher = createWeakHasher({ pepper: [older], engines: { argon2id: engine } })
    const stored = await hasher.hash('otters')
    await hasher.verify('otter', stored)
    await hasher.verify('otter', null)
    expect(engine.jobs.map(({ password }) => password.length)).toEqual([43, 43, 43])
  })

  test('lets bcrypt take long passwords, all of which count', async () => {
    const bcrypt = createWeakHasher({ bcrypt: { cost: 4 }, pepper: [older] })
    const stored = await bcrypt.hash('x'.repeat(100))
    expect(stored).toMatch(/^\$hmac-sha256\$k=2025\$2b\$04\$/)
    expect(await bcrypt.verify('x'.repeat(100), stored)).toEqual({ ok: true, needsRehash: false })
    expect((await bcrypt.verify('x'.repeat(99), stored)).ok).toBe(false)
  })

  test('goes with scrypt too', async () => {
    const scrypt = createWeakHasher({ scrypt: { cost: 64 }, pepper: [older] })
    const stored = await scrypt.hash('otters')
    expect(stored).toMatch(/^\$hmac-sha256\$k=2025\$scrypt\$/)
    expect(await scrypt.verify('otters', stored)).toEqual({ ok: true, needsRehash: false })
  })
})
