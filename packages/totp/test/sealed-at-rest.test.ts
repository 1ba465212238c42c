import { randomBytes } from '@latchkey/bytes'
import type { StoredDocument } from '@latchkey/store'
import { createTotp } from '@latchkey/totp'
import { describe, expect, test } from 'vitest'
import { decodeBase32 } from './authenticator.ts'
import { account, failuresOf, openEnrolled, openTotp, secrets, storedOf } from './open-totp.ts'

const next = { id: '2027-01', bytes: randomBytes(32) }
const outage = { name: 'StoreError', code: 'STORE_DATA_INVALID' }

function expectHidden(text: string, secret: string): void {
  const bytes = decodeBase32(secret)
  for (const form of [secret, secret.toLowerCase(), bytes.toString('hex'), bytes.toString('latin1')]) {
    expect(text).not.toContain(form)
  }
  for (const form of [bytes.toString('base64'), bytes.toString('base64url'), JSON.stringify([...bytes]).slice(1, -1)]) {
    expect(text).not.toContain(form)
  }
}

test('no secret can be read from the store, before the confirmation and after it', async () => {
  const { totp, documents, code, advance } = openTotp()
  const { secret } = await totp.enroll(account, 'ada@example.com')
  expectHidden(JSON.stringify(await storedOf(documents)), secret)
  await totp.confirm(account, code(secret))
  advance(1)
  await totp.verify(account, code(secret))
  const stored = JSON.stringify(await storedOf(documents))
  expectHidden(stored, secret)
  expect(stored).not.toContain('ada@example.com')
})

test('a confirmed enrolment leaves no secret in its document', async () => {
  const { documents } = await openEnrolled()
  const [, pending] = await storedOf(documents)
  expect(pending).toMatchObject({ collection: 'factor-totp-enrollment' })
  expect(JSON.parse(pending?.value ?? '')).toMatchObject({ secret: null })
})

test('a secret that was moved to another account does not open', async () => {
  const { totp, documents, secret, code } = await openEnrolled()
  const [mine] = await storedOf(documents)
  await documents.insert({ ...mine, id: 'acc_2', owner: 'acc_2' } as StoredDocument)
  await expect(totp.verify('acc_2', code(secret))).rejects.toMatchObject(outage)
})

describe('after the secret of the service was changed', () => {
  async function rotate(keys: typeof secrets, pending = false) {
    const opened = await openEnrolled()
    const { documents, now } = opened
    const enrolled = pending ? await opened.totp.enroll(account, 'ada@example.com') : { secret: opened.secret }
    const rotated = createTotp({ documents, now, secrets: keys, issuer: 'Example' })
    const sealedBy = async () => JSON.parse((await storedOf(documents))[0]?.value ?? '').secret.split('.')[0]
    return { ...opened, ...enrolled, rotated, sealedBy }
  }

  test('a secret that the old one has sealed opens, and is sealed anew with the next code that is accepted', async () => {
    const { rotated, sealedBy, code, wrong, secret } = await rotate([next, secrets[0]])
    expect(await rotated.verify(account, wrong(secret))).toMatchObject({ ok: false })
    expect(await sealedBy()).toBe('2026-11')
    expect(await rotated.verify(account, code(secret))).toMatchObject({ ok: true })
    expect(await sealedBy()).toBe('2027-01')
  })

  test('a secret that was sealed again opens without the old secret of the service', async () => {
    const { rotated, documents, now, code, secret } = await rotate([next, secrets[0]])
    await rotated.verify(account, code(secret))
    const later = createTotp({ documents, now, secrets: [next], issuer: 'Example' })
    expect(await later.verify(account, code(secret, 1))).toMatchObject({ ok: true })
  })

  test('an enrolment from before can be confirmed, and is sealed by the new secret', async () => {
    const { rotated, sealedBy, code, secret } = await rotate([next, secrets[0]], true)
    expect(await rotated.confirm(account, code(secret))).toMatchObject({ ok: true })
    expect(await sealedBy()).toBe('2027-01')
  })

  test('a factor sealed by a removed secret is an outage without a verdict, and counts no failure', async () => {
    const { rotated, documents, code, secret } = await rotate([next])
    await expect(rotated.verify(account, code(secret))).rejects.toMatchObject(outage)
    expect(await failuresOf(documents)).toBe(0)
    expect(await rotated.find(account)).toMatchObject({ kind: 'totp' })
    expect(await rotated.remove(account)).toBe(true)
  })

  test('a factor sealed by a removed secret can be enrolled again', async () => {
    const { rotated, code } = await rotate([next])
    const { secret } = await rotated.enroll(account, 'ada@example.com')
    expect(await rotated.confirm(account, code(secret))).toMatchObject({ ok: true })
  })
})
