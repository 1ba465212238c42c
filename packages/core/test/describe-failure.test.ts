import { describeFailure } from '@latchkey/core/internal'
import { expect, test } from 'vitest'

const withCode = (code: unknown) => Object.assign(new Error('secret'), { code })

test.each<[string, unknown, string]>([
  ['a store', withCode('STORE_UNAVAILABLE'), 'STORE_UNAVAILABLE'],
  ['a socket', withCode('ECONNREFUSED'), 'ECONNREFUSED'],
  ['an error without code', new RangeError('secret'), 'RangeError'],
  ['an error whose code is a number', withCode(535), 'Error'],
  ['an error whose code is a sentence', withCode('the secret is 42'), 'Error'],
  ['an error whose code is too long', withCode('x'.repeat(65)), 'Error'],
  ['an error whose name is a sentence too', Object.assign(withCode('a secret'), { name: 'a secret' }), 'unknown'],
  ['a text', 'secret', 'unknown'],
  ['an object', { code: 'SECRET' }, 'unknown'],
  ['nothing', undefined, 'unknown'],
])('the failure of %s is described by a plain word, without its message', (_what, thrown, word) => {
  expect(describeFailure(thrown)).toBe(word)
})
