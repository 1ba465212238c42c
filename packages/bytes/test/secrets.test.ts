import { randomBytes } from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import { expect, test } from 'vitest'

test.each([
  ['"pepper" must be a list of at least one secret', 'a long text'],
  ['"pepper" must be a list of at least one secret', []],
  ['"pepper": each secret is { id, bytes }, and a text is none', ['a long text']],
  ['"pepper": an id has 1 to 32 characters', [{ bytes: randomBytes(32) }]],
  ['"pepper": the secret "a" must have at least 32 bytes, in a Uint8Array', [{ id: 'a', bytes: 'x'.repeat(32) }]],
])('secrets that are not valid are refused with the name of their option: %s', (message, secrets) => {
  expect(() => checkSecrets(secrets as never, 'pepper')).toThrow(message)
})
