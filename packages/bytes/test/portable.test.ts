import { createSealer, deriveSecrets, hmacSha256, sha256 } from '@latchkey/bytes'
import { isSha256Of } from '@latchkey/bytes/internal'
import { afterAll, beforeAll, expect, test } from 'vitest'

const { getBuiltinModule } = process

beforeAll(() => void Object.assign(process, { getBuiltinModule: undefined }))
afterAll(() => void Object.assign(process, { getBuiltinModule }))

test('a runtime without the API of Node.js has every hash', () => {
  const secret = { id: 'a', bytes: new Uint8Array(32) }
  expect(isSha256Of(sha256('token'), 'token')).toBe(true)
  expect(hmacSha256(secret.bytes, 'text')).toHaveLength(32)
  expect(deriveSecrets([secret], 'purpose')[0].bytes).toHaveLength(32)
})

test('a runtime without the API of Node.js seals and opens', async () => {
  const sealer = createSealer({ secrets: [{ id: 'a', bytes: new Uint8Array(32) }], purpose: 'purpose' })
  const box = await sealer.seal(new Uint8Array([1, 2, 3]), 'acc_1')
  expect(await sealer.open(box, 'acc_1')).toEqual(new Uint8Array([1, 2, 3]))
  expect(await sealer.open(box, 'acc_2')).toBeNull()
})
