import {
  type Argon2idParameters,
  allowWeakHashes,
  createBreachCheck,
  createPasswordHasher,
  createPasswordPolicy,
  describeHash,
  type HashDescription,
  hashPassword,
  type PasswordEngine,
  PasswordError,
  type PasswordErrorCode,
  type PasswordPolicyVerdict,
  type PasswordVerdict,
  verifyPassword,
  wrapHash,
} from '@latchkey/password'
import { expectTypeOf, test } from 'vitest'

test('verdicts are values', () => {
  expectTypeOf(verifyPassword('a', null)).resolves.toEqualTypeOf<PasswordVerdict>()
  expectTypeOf(createPasswordPolicy().check('a')).resolves.toEqualTypeOf<PasswordPolicyVerdict>()
  expectTypeOf(describeHash(null)).toEqualTypeOf<HashDescription | null>()
  expectTypeOf(hashPassword('a', { lane: 'idle' })).resolves.toBeString()
})

test('a stored hash may be null, and must be given', () => {
  // @ts-expect-error a column that may be missing is a bug, not an account without password
  verifyPassword('a', undefined)
  // @ts-expect-error the stored hash is missing
  verifyPassword('a')
})

test('an option that loosens a check takes a symbol', () => {
  createPasswordHasher({ strength: allowWeakHashes })
  // @ts-expect-error no string, no boolean
  createPasswordHasher({ strength: false })
})

test('an engine is named for the kinds that it computes', () => {
  createPasswordHasher({ engines: { argon2id: 'node:crypto', bcrypt: '@node-rs/bcrypt' } })
  // @ts-expect-error Node has no bcrypt
  createPasswordHasher({ engines: { bcrypt: 'node:crypto' } })
  const own: PasswordEngine = { name: 'own', kinds: ['scrypt'], run: () => new Uint8Array(32) }
  createPasswordHasher({ engines: { scrypt: own } })
})

test('the verdict during an outage of the breach service must be chosen', () => {
  createBreachCheck({ whenUnavailable: 'accept' })
  // @ts-expect-error it must be chosen
  createBreachCheck({})
})

test('a wrapped digest needs its algorithm', () => {
  wrapHash('5f4dcc3b5aa765d61d8327deb882cf99', { algorithm: 'md5', lane: 'idle' })
  // @ts-expect-error the algorithm is missing
  wrapHash('5f4dcc3b5aa765d61d8327deb882cf99', {})
})

test('codes are a union, parameters are numbers', () => {
  expectTypeOf(new PasswordError('PASSWORD_HASHER_UNAVAILABLE', '', 1).code).toEqualTypeOf<PasswordErrorCode>()
  expectTypeOf<Argon2idParameters['memoryKib']>().toEqualTypeOf<number | undefined>()
})
