import { createPasswordHasher, createPasswordPolicy } from '@latchkey/password'
import { expect, test } from 'vitest'

test.each([
  ['createPasswordHasher has no option "argon2"', { argon2: {} }],
  ['createPasswordHasher has no option "peppers"', { peppers: [] }],
  ['"argon2id" has no option "memory"', { argon2id: { memory: 65_536 } }],
  ['"scrypt" has no option "N"', { scrypt: { N: 131_072 } }],
  ['"bcrypt" has no option "rounds"', { bcrypt: { rounds: 12 } }],
  ['"pepper" must be a list of at least one secret', { pepper: 'a long text' }],
  ['"pepper": the secret "a" must have at least 32 bytes', { pepper: [{ id: 'a', bytes: new Uint8Array(31) }] }],
  ['"nope" does not compute argon2id; one of these does', { engines: { argon2id: 'nope' } }],
])('no hasher is made with a wrong option: %s', (message, options) => {
  expect(() => createPasswordHasher(options as never)).toThrow(TypeError)
  expect(() => createPasswordHasher(options as never)).toThrow(message)
})

test('no policy is made with a wrong option', () => {
  const make = () => createPasswordPolicy({ minLength: 20 } as never)
  expect(make).toThrow(TypeError)
  expect(make).toThrow('createPasswordPolicy has no option "minLength", only "minimumCharacters"')
})
