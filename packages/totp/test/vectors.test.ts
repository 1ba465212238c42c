import { createSealer } from '@latchkey/bytes'
import { createMemoryDocumentStore } from '@latchkey/store'
import { createTotp } from '@latchkey/totp'
import { describe, expect, test } from 'vitest'
import { account, refused, secrets } from './open-totp.ts'

/** The secret of both documents, for SHA-1. */
const secret = new TextEncoder().encode('12345678901234567890')

/** A factor with that secret, as it is stored: no public way takes a secret from outside. */
async function openVector(time: number) {
  const documents = createMemoryDocumentStore()
  const sealed = await createSealer({ secrets, purpose: 'totp-secret' }).seal(secret, account)
  const value = JSON.stringify({ v: 1, secret: sealed, step: 0, failures: 0, createdAt: 0, lastUsedAt: null })
  await documents.insert({ collection: 'factor-totp', id: account, owner: account, version: '1', value })
  return createTotp({ documents, secrets, issuer: 'Example', now: () => time, window: 0 })
}

// RFC 6238, appendix B: the rows of SHA-1. Their codes have eight digits; one of six is the last six of them (RFC 4226 §5.3).
// The rows of SHA-256 and SHA-512 are left out: apps on phones have not agreed on them, and the package has no such option.
describe('RFC 6238, appendix B', () => {
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('at %i s the last six digits of %s are right, and no others', async (seconds, digits) => {
    const totp = await openVector(seconds * 1000)
    expect(await totp.verify(account, digits.slice(0, 6))).toEqual(refused('wrong'))
    expect(await totp.verify(account, digits)).toEqual(refused('wrong'))
    expect(await totp.verify(account, digits.slice(2))).toMatchObject({ ok: true })
  })
})

// RFC 4226, appendix D: the code of a counter is that of the time step of the same number.
describe('RFC 4226, appendix D', () => {
  const codes = ['755224', '287082', '359152', '969429', '338314', '254676', '287922', '162583', '399871', '520489']

  test.each([...codes.entries()].slice(1))('the code of counter %i is %s', async (counter, code) => {
    const totp = await openVector(counter * 30_000)
    expect(await totp.verify(account, code)).toMatchObject({ ok: true })
  })

  test('the code of counter 0 is known and was used by the first step', async () => {
    const totp = await openVector(0)
    expect(await totp.verify(account, codes[1] ?? '')).toEqual(refused('wrong'))
    expect(await totp.verify(account, codes[0] ?? '')).toEqual(refused('used'))
  })
})
