import {
  calibrateArgon2id,
  createBreachCheck,
  createPasswordHasher,
  createPasswordPolicy,
  hashPassword,
  verifyPassword,
  wrapHash,
} from '@latchkey/password'
import { expect, test } from 'vitest'

test.each([
  ['createPasswordHasher has no option "argon2". Did you mean "argon2id"?', { argon2: {} }],
  ['createPasswordHasher has no option "peppers". Did you mean "pepper"?', { peppers: [] }],
  ['"argon2id" has no option "memory". Did you mean "memoryKib"?', { argon2id: { memory: 65_536 } }],
  ['"scrypt" has no option "N"', { scrypt: { N: 131_072 } }],
  ['"bcrypt" has no option "rounds"', { bcrypt: { rounds: 12 } }],
  ['"engines" has no option "argon2d". Did you mean "argon2id"?', { engines: { argon2d: 'hash-wasm' } }],
  ['"pepper" must be a list of at least one secret', { pepper: 'a long text' }],
  ['"pepper": the secret "a" must have at least 32 bytes', { pepper: [{ id: 'a', bytes: new Uint8Array(31) }] }],
  ['"nope" does not compute argon2id; one of these does', { engines: { argon2id: 'nope' } }],
])('no hasher is made with a wrong option: %s', (message, options) => {
  expect(() => createPasswordHasher(options as never)).toThrow(TypeError)
  expect(() => createPasswordHasher(options as never)).toThrow(message)
})

test.each([
  ['createPasswordPolicy has no option "minLength", only "minimumCharacters"', { minLength: 20 }],
  ['createPasswordPolicy has no option "blockList". Did you mean "blocklist"?', { blockList: [] }],
  ['"blocklist" must be a list of texts', { blocklist: 'Jubilee Gravel' }],
  ['"blocklist" must be a list of texts', { blocklist: [1] }],
  ['"breachCheck" must have a method "check"', { breachCheck: createBreachCheck }],
  ['"breachCheck" must have a method "check"', { breachCheck: null }],
])('no policy is made with a wrong option: %s', (message, options) => {
  expect(() => createPasswordPolicy(options as never)).toThrow(TypeError)
  expect(() => createPasswordPolicy(options as never)).toThrow(message)
})

test.each([
  ['createBreachCheck takes an object with "whenUnavailable"', undefined],
  ['createBreachCheck has no option "unavailable". Did you mean "whenUnavailable"?', { unavailable: 'accept' }],
  ['createBreachCheck has no option "deadline". Did you mean "deadlineMs"?', { deadline: 5 }],
  ['createBreachCheck has no option "timeoutSeconds"', { timeoutSeconds: 5 }],
  ['createBreachCheck has no option "onEvents". Did you mean "onEvent"?', { onEvents: () => {} }],
])('no breach check is made with a wrong option: %s', (message, options) => {
  const make = () => createBreachCheck((options && { whenUnavailable: 'accept', ...options }) as never)
  expect(make).toThrow(TypeError)
  expect(make).toThrow(message)
})

const policy = createPasswordPolicy()
const breachCheck = createBreachCheck({ whenUnavailable: 'accept', fetch: () => Promise.reject(new Error('asked')) })
const digest = '5f4dcc3b5aa765d61d8327deb882cf99'

test.each<[message: string, call: (options: never) => Promise<unknown>, options: object]>([
  ['calibrateArgon2id has no option "target". Did you mean "targetMs"?', calibrateArgon2id, { target: 250 }],
  ['"engines" has no option "argon2"', calibrateArgon2id, { engines: { argon2: 'hash-wasm' } }],
  ['hash has no option "lanes". Did you mean "lane"?', (options) => hashPassword('a', options), { lanes: 'idle' }],
  [
    'verify has no option "sginal". Did you mean "signal"?',
    (options) => verifyPassword('a', null, options),
    { sginal: AbortSignal.abort() },
  ],
  [
    'wrap has no option "slat". Did you mean "salt"?',
    (options) => wrapHash(digest, options),
    { algorithm: 'md5', slat: 'x' },
  ],
  ['check has no option "contxt". Did you mean "context"?', (options) => policy.check('a', options), { contxt: [] }],
  ['check has no option "abort"', (options) => breachCheck.check('a', options), { abort: AbortSignal.abort() }],
])('nothing is computed with a wrong option: %s', async (message, call, options) => {
  const verdict = call(options as never)
  await expect(verdict).rejects.toThrow(TypeError)
  await expect(verdict).rejects.toThrow(message)
})
