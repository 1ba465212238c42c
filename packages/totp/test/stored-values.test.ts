import { readFileSync } from 'node:fs'
import { createMemoryDocumentStore, type DocumentStore, type StoredDocument } from '@latchkey/store'
import { storedVersion } from '@latchkey/store/internal'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { describe, expect, test } from 'vitest'
import { codeAt } from './authenticator.ts'
import { account, refused, secrets, storedOf } from './open-totp.ts'

// What each version of stored values looked like, with the secrets that belong to it: written by the release that had it,
// and never edited. There were no factors before version 1.
interface Golden {
  readonly at: number
  readonly secret: string
  readonly pendingSecret: string
  readonly usedCode: string
  readonly unusedCode: string
  readonly documents: readonly Omit<StoredDocument, 'version'>[]
}

const versions = Array.from({ length: storedVersion }, (_none, index) => index + 1)

function readGolden(version: number): Golden {
  return JSON.parse(readFileSync(new URL(`stored-values/version-${version}.json`, import.meta.url), 'utf8'))
}

async function openGolden(version: number, members: object = {}) {
  const golden = readGolden(version)
  const documents = createMemoryDocumentStore()
  for (const factor of golden.documents) {
    const value = JSON.stringify({ ...JSON.parse(factor.value), ...members })
    await documents.insert({ ...factor, version: '1', value })
  }
  const later = () => golden.at + 60_000
  return { ...golden, later, stored: documents, ...openAll(documents, later, version) }
}

function openAll(documents: DocumentStore, now: () => number, version: number) {
  const options = { documents, secrets, now, storedVersion: () => version }
  return {
    totp: createTotp({ ...options, issuer: 'Example' }),
    codes: createRecoveryCodes(options),
  }
}

const readValue = async (documents: DocumentStore, kind: string) =>
  JSON.parse((await documents.get(`factor-${kind}`, account))?.value ?? 'null')

describe.each(versions)('documents of version %i', (version) => {
  test('are read by this release', async () => {
    const { totp, codes, at, later, secret, pendingSecret, usedCode, unusedCode } = await openGolden(version)
    expect(await totp.find(account)).toMatchObject({ createdAt: at, lastUsedAt: at })
    expect(await totp.verify(account, codeAt(secret, at))).toEqual(refused('wrong'))
    expect(await totp.verify(account, codeAt(secret, later()))).toMatchObject({ ok: true })
    expect(await codes.find(account)).toMatchObject({ createdAt: at, lastUsedAt: at, remaining: 9 })
    expect(await codes.verify(account, usedCode)).toEqual(refused('used'))
    expect(await codes.verify(account, unusedCode)).toMatchObject({ ok: true, remaining: 8 })
    const confirmed = totp.confirm(account, codeAt(pendingSecret, later()), { binding: 'session_1' })
    expect(await confirmed).toMatchObject({ ok: true })
  })

  test('are written again in that version, while older processes run', async () => {
    const { totp, codes, stored, secret, later, unusedCode } = await openGolden(version)
    const before = await readValue(stored, 'totp')
    await totp.verify(account, codeAt(secret, later()))
    await codes.verify(account, unusedCode)
    const after = { ...before, step: before.step + 2, lastUsedAt: later() }
    expect(await readValue(stored, 'totp')).toEqual(after)
    expect(Object.keys(await readValue(stored, 'totp'))).toEqual(Object.keys(before))
    expect(await readValue(stored, 'recovery-code')).toMatchObject({ v: version })
  })

  test('keep the members that this release does not know', async () => {
    const unknown = { colour: { of: ['a later', 'release'] } }
    const { totp, codes, stored, secret, later, unusedCode } = await openGolden(version, unknown)
    expect(await totp.verify(account, codeAt(secret, later()))).toMatchObject({ ok: true })
    expect(await codes.verify(account, unusedCode)).toMatchObject({ ok: true })
    for (const kind of ['totp', 'recovery-code']) expect(await readValue(stored, kind)).toMatchObject(unknown)
  })

  test.each([
    { secret: 1 },
    { step: -1 },
    { step: '60000000' },
    { createdAt: null },
    { lastUsedAt: 'never' },
    { v: '1' },
  ])('are refused as an outage if a member of the factor is invalid: %j', async (members) => {
    const { totp, stored, secret, later } = await openGolden(version, members)
    await expectInvalid(stored, () => totp.verify(account, codeAt(secret, later())))
  })

  test.each([{ secret: 1 }, { binding: 7 }, { expiresAt: null }, { failures: -1 }])(
    'are refused as an outage if a member of the enrolment is invalid: %j',
    async (members) => {
      const { totp, stored, pendingSecret, later } = await openGolden(version, members)
      const confirm = () => totp.confirm(account, codeAt(pendingSecret, later()), { binding: 'session_1' })
      await expectInvalid(stored, confirm)
    },
  )

  test.each([{ unused: {} }, { used: [1] }, { keyId: null }, { lastUsedAt: '' }])(
    'are refused as an outage if a member of the recovery codes is invalid: %j',
    async (members) => {
      const { codes, stored, unusedCode } = await openGolden(version, members)
      await expectInvalid(stored, () => codes.verify(account, unusedCode))
    },
  )
})

async function expectInvalid(stored: DocumentStore, call: () => Promise<unknown>): Promise<void> {
  const before = await storedOf(stored)
  await expect(call()).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_DATA_INVALID' })
  expect(await storedOf(stored)).toEqual(before)
}

describe('documents of a version that this release does not know', () => {
  const newer = { v: storedVersion + 1 }

  test('are an outage without a verdict, and the store does not change', async () => {
    const { totp, codes, stored, secret, later, unusedCode, pendingSecret } = await openGolden(storedVersion, newer)
    const before = await storedOf(stored)
    const outage = { name: 'StoreError', code: 'STORE_DATA_NEWER' }
    await expect(totp.verify(account, codeAt(secret, later()))).rejects.toMatchObject(outage)
    await expect(totp.confirm(account, codeAt(pendingSecret, later()))).rejects.toMatchObject(outage)
    await expect(totp.find(account)).rejects.toMatchObject(outage)
    await expect(codes.verify(account, unusedCode)).rejects.toMatchObject(outage)
    await expect(codes.find(account)).rejects.toMatchObject(outage)
    expect(await storedOf(stored)).toEqual(before)
  })

  test('can be removed', async () => {
    const { totp, codes, stored } = await openGolden(storedVersion, newer)
    expect(await totp.remove(account)).toBe(true)
    expect(await codes.remove(account)).toBe(true)
    expect(await storedOf(stored)).toEqual([])
  })
})

test('a process that writes the version before leaves a value in the later version of another process', async () => {
  const { stored, later, secret } = await openGolden(storedVersion)
  const { totp } = openAll(stored, later, storedVersion - 1)
  expect(await totp.verify(account, codeAt(secret, later()))).toMatchObject({ ok: true })
  expect(await readValue(stored, 'totp')).toMatchObject({ v: storedVersion })
})
