import { createMemoryDocumentStore } from '@latchkey/store'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { expect, test } from 'vitest'
import { secrets } from './open-totp.ts'

const documents = createMemoryDocumentStore()
const valid = { documents, secrets, issuer: 'Example' }

test.each([
  ['createTotp has no option "isuer". Did you mean "issuer"?', { isuer: 'Example' }],
  ['createTotp has no option "digits"', { digits: 8 }],
  ['createTotp has no option "windows". Did you mean "window"?', { windows: 0 }],
  ['"documents" must be a document store', { documents: undefined }],
  [
    '"documents" must be strong',
    { documents: { ...documents, capabilities: { ...documents.capabilities, consistency: 'eventual' } } },
  ],
  ['"secrets" must be a list of at least one secret', { secrets: [] }],
  ['"secrets": the secret "a" must have at least 32 bytes', { secrets: [{ id: 'a', bytes: new Uint8Array(16) }] }],
  ['"window" must be 0 or 1', { window: 2 }],
  ['"window" must be 0 or 1', { window: -1 }],
  ['"window" must be 0 or 1', { window: '1' }],
  ['"maxFailures" must be a whole number of at least 1', { maxFailures: 0 }],
  ['"maxFailures" must be a whole number of at least 1', { maxFailures: Number.NaN }],
  ['"enrollmentSeconds" must be a whole number of at least 1', { enrollmentSeconds: 0.5 }],
  ['"issuer" must be a text of 1 to 64 characters', { issuer: undefined }],
  ['"issuer" must be a text of 1 to 64 characters', { issuer: '' }],
  ['"issuer" must be a text of 1 to 64 characters', { issuer: ' ' }],
  ['"issuer" must be a text of 1 to 64 characters', { issuer: 'Example: Inc' }],
  ['"issuer" must be a text of 1 to 64 characters', { issuer: 'Exam\nple' }],
  ['"issuer" must be a text of 1 to 64 characters', { issuer: 'Exam\u202eple' }],
  ['"issuer" must be a text of 1 to 64 characters', { issuer: 'Example\ud800' }],
  ['"issuer" must be a text of 1 to 64 characters', { issuer: 'a'.repeat(65) }],
])('no factor is created where %s', (message, wrong) => {
  const create = () => createTotp({ ...valid, ...wrong } as never)
  expect(create).toThrow(TypeError)
  expect(create).toThrow(message)
})

test.each([
  ['createRecoveryCodes has no option "counts". Did you mean "count"?', { counts: 5 }],
  ['"documents" must be a document store', { documents: null }],
  ['"secrets" must be a list of at least one secret', { secrets: undefined }],
  ['"count" must be 1 to 50', { count: 0 }],
  ['"count" must be 1 to 50', { count: 51 }],
  ['"count" must be 1 to 50', { count: 1.5 }],
])('no recovery codes are created where %s', (message, wrong) => {
  const create = () => createRecoveryCodes({ documents, secrets, ...wrong } as never)
  expect(create).toThrow(TypeError)
  expect(create).toThrow(message)
})

test('a whole set of stores is accepted in the options', () => {
  const stores = { documents, accounts: {}, records: {}, migrate: () => {} }
  expect(() => createTotp({ ...stores, secrets, issuer: 'Example' } as never)).not.toThrow()
  expect(() => createRecoveryCodes({ ...stores, secrets } as never)).not.toThrow()
})
