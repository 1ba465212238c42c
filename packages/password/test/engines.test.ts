import { pbkdf2Sync } from 'node:crypto'
import { createPasswordHasher, type PasswordEngine, type PasswordHasherOptions } from '@latchkey/password'
import { anyCharacter } from '@latchkey/test-services/any-character'
import { hashSync } from '@node-rs/argon2'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { createCountingEngine } from './own-engine.ts'
import { closeHashers, createWeakHasher, createWeakWorkerHasher } from './weak-hasher.ts'

afterAll(closeHashers)

const isNative = 'argon2' in process.getBuiltinModule('node:crypto')
const portable = ['hash-wasm', '@noble/hashes', '@node-rs/argon2'] as const
const argon2Engines = isNative ? (['node:crypto', ...portable] as const) : portable
const passwords = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 60 }).filter((text) => !text.includes('\0'))

describe('engines agree', () => {
  const reference = createWeakHasher()

  /** What a reference stores, which each engine reads: the same cases are drawn for all of them. */
  const storedTexts = new Map<string, Promise<string>>()
  function storedFor(password: string, cost: NonNullable<PasswordHasherOptions['argon2id']>): Promise<string> {
    const drawn = JSON.stringify([password, cost])
    const stored = storedTexts.get(drawn) ?? createWeakHasher({ argon2id: cost }).hash(password)
    storedTexts.set(drawn, stored)
    return stored
  }

  test.each(argon2Engines)('%s computes the Argon2id that the others compute', async (argon2id) => {
    const hasher = createWeakWorkerHasher({ engines: { argon2id } })
    const costs = fc.record({
      parallelism: fc.integer({ min: 1, max: 4 }),
      // More than 512 KiB in a lane take several blocks of addresses.
      memoryKib: fc.oneof(fc.integer({ min: 32, max: 200 }), fc.constantFrom(1024, 2049, 4000)),
      iterations: fc.integer({ min: 1, max: 3 }),
      saltBytes: fc.integer({ min: 16, max: 40 }),
      outputBytes: fc.integer({ min: 16, max: 64 }),
    })
    await fc.assert(
      fc.asyncProperty(passwords, costs, async (password, cost) => {
        expect((await hasher.verify(password, await storedFor(password, cost))).ok).toBe(true)
      }),
      { numRuns: 20 },
    )
  })

  test.each(argon2Engines)('%s computes the Argon2i that the others compute', async (argon2i) => {
    const hasher = createWeakWorkerHasher({ engines: { argon2i } })
    await fc.assert(
      fc.asyncProperty(passwords, fc.integer({ min: 1, max: 3 }), async (password, lanes) => {
        const cost = { memoryCost: 64 * lanes, timeCost: 2, parallelism: lanes }
        const stored = hashSync(password.normalize('NFC'), { ...cost, algorithm: 1 })
        expect((await hasher.verify(password, stored)).ok).toBe(true)
      }),
      { numRuns: 15 },
    )
  })

  test.each(['node:crypto', 'web-crypto'] as const)(
    '%s computes the PBKDF2 that the others compute',
    async (pbkdf2) => {
      const hasher = createWeakWorkerHasher({ engines: { pbkdf2 } })
      const digests = fc.constantFrom('sha1', 'sha256', 'sha512')
      await fc.assert(
        fc.asyncProperty(passwords, digests, fc.integer({ min: 16, max: 64 }), async (password, digest, length) => {
          const output = pbkdf2Sync(password.normalize('NFC'), 'seasalt', 3, length, digest)
          const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '')
          const stored = `$pbkdf2-${digest}$i=3$${text(Buffer.from('seasalt'))}$${text(output)}`
          expect((await hasher.verify(password, stored)).ok).toBe(true)
        }),
        { numRuns: 15 },
      )
    },
  )

  test.each(['node:crypto', 'hash-wasm', '@noble/hashes'] as const)(
    '%s computes the scrypt that the others compute',
    async (scrypt) => {
      const hasher = createWeakWorkerHasher({ engines: { scrypt }, scrypt: { cost: 64, blockSize: 3, parallelism: 2 } })
      await fc.assert(
        fc.asyncProperty(passwords, async (password) => {
          expect((await reference.verify(password, await hasher.hash(password))).ok).toBe(true)
        }),
        { numRuns: 15 },
      )
    },
  )

  test.each(['hash-wasm', '@node-rs/bcrypt'] as const)(
    '%s computes the bcrypt that the others compute',
    async (bcrypt) => {
      const hasher = createWeakWorkerHasher({ engines: { bcrypt }, bcrypt: { cost: 4 } })
      await fc.assert(
        fc.asyncProperty(
          passwords.filter((text) => Buffer.byteLength(text.normalize('NFC')) <= 72),
          async (password) => {
            expect((await reference.verify(password, await hasher.hash(password))).ok).toBe(true)
          },
        ),
        { numRuns: 15 },
      )
    },
  )
})

describe('the choice of engines', () => {
  test('is automatic, and shown by engines()', async () => {
    expect(await createWeakWorkerHasher().engines()).toEqual({
      argon2id: '@node-rs/argon2',
      argon2i: '@node-rs/argon2',
      scrypt: 'node:crypto',
      bcrypt: '@node-rs/bcrypt',
      pbkdf2: 'node:crypto',
      place: 'worker',
    })
  })

  test('can be made by name for each kind', async () => {
    const engines = {
      argon2id: 'hash-wasm',
      argon2i: '@noble/hashes',
      bcrypt: 'hash-wasm',
      pbkdf2: 'web-crypto',
    } as const
    expect(await createWeakWorkerHasher({ engines }).engines()).toMatchObject({ ...engines, scrypt: 'node:crypto' })
  })

  test('can be an engine of one’s own, which then gets the jobs', async () => {
    const engine = createCountingEngine()
    const hasher = createWeakWorkerHasher({ engines: { argon2id: engine } })
    expect(await hasher.engines()).toMatchObject({ argon2id: 'counting', scrypt: 'node:crypto' })
    const stored = await hasher.hash('otters')
    expect(engine.jobs).toMatchObject([{ kind: 'argon2id', memoryKib: 64, iterations: 1, parallelism: 1, length: 32 }])
    expect((await createWeakWorkerHasher().verify('otters', stored)).ok).toBe(true)
  })

  test('rejects the hash with the error of its engine', async () => {
    const unable: PasswordEngine = {
      name: 'unable',
      kinds: ['argon2id'],
      run: () => Promise.reject(new Error('out of memory')),
    }
    const hasher = createPasswordHasher({ engines: { argon2id: unable } })
    await expect(hasher.hash('otters')).rejects.toThrow('out of memory')
    expect(hasher.stats.running).toBe(0)
    await hasher.close()
  })
})
