import { hashSync } from '@node-rs/argon2'
import { afterAll, expect, test } from 'vitest'
import { closeHashers, createWeakHasher } from './weak-hasher.ts'

afterAll(closeHashers)

const cost = { memoryKib: 64, iterations: 2, parallelism: 1 }
const hasher = createWeakHasher({ argon2id: cost })

test.each([
  ['less memory', { argon2id: { ...cost, memoryKib: 32 } }],
  ['more memory', { argon2id: { ...cost, memoryKib: 128 } }],
  ['fewer iterations', { argon2id: { ...cost, iterations: 1 } }],
  ['other lanes', { argon2id: { ...cost, parallelism: 2 } }],
  ['a longer salt', { argon2id: { ...cost, saltBytes: 32 } }],
  ['a shorter output', { argon2id: { ...cost, outputBytes: 16 } }],
  ['scrypt', { scrypt: { cost: 64 } }],
  ['bcrypt', { bcrypt: { cost: 4 } }],
])('a hash with %s is due for a rehash after the right password, and only then', async (_what, options) => {
  const stored = await createWeakHasher(options).hash('otters')
  expect(await hasher.verify('otters', stored)).toEqual({ ok: true, needsRehash: true })
  expect(await hasher.verify('otter', stored)).toEqual({ ok: false, needsRehash: false })
})

test.each([
  ['bcrypt of another cost', { bcrypt: { cost: 5 } }, { bcrypt: { cost: 4 } }],
  ['scrypt of another cost', { scrypt: { cost: 128 } }, { scrypt: { cost: 64 } }],
  ['Argon2id', { bcrypt: { cost: 4 } }, {}],
])('%s is due where another is written', async (_what, options, otherOptions) => {
  const stored = await createWeakHasher(otherOptions).hash('otters')
  expect(await createWeakHasher(options).verify('otters', stored)).toEqual({ ok: true, needsRehash: true })
})

test('bcrypt hashes of PHP and OpenBSD of the written cost are not due', async () => {
  const bcrypt = createWeakHasher({ bcrypt: { cost: 5 } })
  const stored = await bcrypt.hash('otters')
  for (const version of ['$2a$', '$2y$']) {
    expect(await bcrypt.verify('otters', stored.replace('$2b$', version))).toEqual({ ok: true, needsRehash: false })
  }
})

test('Argon2i is due where Argon2id of the same cost is written', async () => {
  const stored = hashSync('otters', { algorithm: 1, memoryCost: 64, timeCost: 2, parallelism: 1 })
  expect(stored).toMatch(/^\$argon2i\$v=19\$m=64,t=2,p=1\$/)
  expect(await hasher.verify('otters', stored)).toEqual({ ok: true, needsRehash: true })
})

test('the notation of another system is due even if the hash is the same', async () => {
  expect(await hasher.verify('otters', `argon2${await hasher.hash('otters')}`)).toEqual({ ok: true, needsRehash: true })
})
