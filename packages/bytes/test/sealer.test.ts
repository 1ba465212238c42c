import { createSealer, decodeBase64url, deriveSecrets, randomBytes, type SecretKey } from '@latchkey/bytes'
import { describe, expect, test } from 'vitest'

const older: SecretKey = { id: 'older', bytes: randomBytes(32) }
const newer: SecretKey = { id: 'newer', bytes: randomBytes(32) }
const sealer = createSealer({ secrets: [older], purpose: 'totp-secret' })
const plaintext = new TextEncoder().encode('a value at rest')

describe('a sealed box', () => {
  test('opens for the purpose and the context that it was sealed for', async () => {
    const box = await sealer.seal(plaintext, 'acc_1')
    expect(box).toMatch(/^older\.[\w-]+$/)
    expect(await sealer.open(box, 'acc_1')).toEqual(plaintext)
  })

  test.each([0, 1, 16, 1000])('is AES-256-GCM as Web Crypto has it, with %i bytes in it', async (length) => {
    const value = new Uint8Array(length).fill(7)
    const bytes = decodeBase64url((await sealer.seal(value, 'acc_1')).replace('older.', '')) ?? new Uint8Array()
    const [{ bytes: secret }] = deriveSecrets([older], 'seal/totp-secret')
    const key = await crypto.subtle.importKey('raw', new Uint8Array(secret), 'AES-GCM', false, ['decrypt'])
    const additionalData = new TextEncoder().encode('acc_1')
    const algorithm = { name: 'AES-GCM', iv: bytes.slice(0, 12), additionalData }
    expect(new Uint8Array(await crypto.subtle.decrypt(algorithm, key, bytes.slice(12)))).toEqual(value)
    expect(await sealer.open(await sealer.seal(value, 'acc_1'), 'acc_1')).toEqual(value)
  })

  test('differs each time', async () => {
    expect(await sealer.seal(plaintext, 'acc_1')).not.toBe(await sealer.seal(plaintext, 'acc_1'))
  })

  test('does not open in another context, purpose or under another secret', async () => {
    const box = await sealer.seal(plaintext, 'acc_1')
    expect(await sealer.open(box, 'acc_2')).toBeNull()
    expect(await createSealer({ secrets: [older], purpose: 'other' }).open(box, 'acc_1')).toBeNull()
    const impostor: SecretKey = { id: 'older', bytes: randomBytes(32) }
    expect(await createSealer({ secrets: [impostor], purpose: 'totp-secret' }).open(box, 'acc_1')).toBeNull()
  })

  test('still opens after a rotation, and new boxes name the new secret', async () => {
    const box = await sealer.seal(plaintext, 'acc_1')
    const rotated = createSealer({ secrets: [newer, older], purpose: 'totp-secret' })
    expect(await rotated.open(box, 'acc_1')).toEqual(plaintext)
    expect(await rotated.seal(plaintext, 'acc_1')).toMatch(/^newer\./)
  })

  test('does not open if any character was altered', async () => {
    const box = await sealer.seal(plaintext, 'acc_1')
    for (let index = 0; index < box.length; index++) {
      const altered = `${box.slice(0, index)}${box[index] === 'A' ? 'B' : 'A'}${box.slice(index + 1)}`
      expect(await sealer.open(altered, 'acc_1')).toBeNull()
    }
  })

  test.each(['', '.', 'older', 'older.', 'older.AAAA', 'unknown.AAAAAAAAAAAAAAAAAAAAAAAA', '__proto__.AAAA'])(
    '%j is not a box',
    async (box) => {
      expect(await sealer.open(box, 'acc_1')).toBeNull()
    },
  )
})

test.each<[message: string, options: unknown]>([
  ['createSealer has no option "purposes". Did you mean "purpose"?', { secrets: [older], purposes: 'totp-secret' }],
  ['createSealer has no option "context", only "secrets", "purpose"', { secrets: [older], purpose: 'a', context: 'b' }],
  ['createSealer takes an object with "secrets", "purpose"', undefined],
])('no sealer is created with a misspelt option: %s', (message, options) => {
  const create = () => createSealer(options as never)
  expect(create).toThrow(TypeError)
  expect(create).toThrow(message)
})
