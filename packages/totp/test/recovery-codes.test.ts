import { randomBytes, type SecretKeys } from '@latchkey/bytes'
import { createMemoryDocumentStore, type StoredDocument } from '@latchkey/store'
import { anyCharacter } from '@latchkey/test-services/any-character'
import { createRecoveryCodes } from '@latchkey/totp'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { account, refused, secrets, storedOf } from './open-totp.ts'

const time = 1_800_000_000_000

function openCodes(options: { readonly secrets?: SecretKeys; readonly count?: number } = {}) {
  const documents = createMemoryDocumentStore()
  return { documents, codes: createRecoveryCodes({ documents, secrets, now: () => time, ...options }) }
}

async function openGenerated() {
  const opened = openCodes()
  const set = await opened.codes.generate(account)
  return { ...opened, set, code: set[0] ?? '' }
}

/** Digits from the zero of a script on. */
function inDigitsFrom(zero: number, code: string): string {
  return code.replace(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)))
}

describe('a set of recovery codes', () => {
  test('has ten codes of eighty bits in letters that are not confused', async () => {
    const { set } = await openGenerated()
    expect(set).toHaveLength(10)
    expect(new Set(set).size).toBe(10)
    for (const code of set) expect(code).toMatch(/^([0-9a-hjkmnp-tv-z]{4}-){3}[0-9a-hjkmnp-tv-z]{4}$/)
  })

  test('has as many codes as asked for', async () => {
    const { codes } = openCodes({ count: 16 })
    expect(await codes.generate(account)).toHaveLength(16)
    expect(await codes.find(account)).toEqual({
      kind: 'recovery-code',
      createdAt: time,
      lastUsedAt: null,
      remaining: 16,
    })
  })

  test('stops working when another set is generated', async () => {
    const { codes, code, set: old } = await openGenerated()
    await codes.verify(account, code)
    const [next = ''] = await codes.generate(account)
    for (const one of old) expect(await codes.verify(account, one)).toEqual(refused('wrong'))
    expect(await codes.find(account)).toMatchObject({ remaining: 10, lastUsedAt: null })
    expect(await codes.verify(account, next)).toMatchObject({ ok: true })
  })

  test('is gone once it was removed, and true is answered once', async () => {
    const { codes, code, documents } = await openGenerated()
    expect(await codes.remove(account)).toBe(true)
    expect(await codes.remove(account)).toBe(false)
    expect(await codes.find(account)).toBeNull()
    expect(await storedOf(documents)).toEqual([])
    expect(await codes.verify(account, code)).toEqual(refused('not-enrolled'))
  })

  test('is stored as digests: no code can be read from it', async () => {
    const { set, documents } = await openGenerated()
    const [{ collection, value } = { collection: '', value: '' }] = await storedOf(documents)
    expect(collection).toBe('factor-recovery-code')
    for (const code of set) {
      const plain = code.replaceAll('-', '')
      for (const text of [code, plain, code.slice(0, 9), plain.slice(0, 8)]) expect(value).not.toContain(text)
    }
  })

  test('has other digests for another account, and does not open it', async () => {
    const { codes, code, documents } = await openGenerated()
    await codes.generate('acc_2')
    expect(await codes.verify('acc_2', code)).toEqual(refused('wrong'))
    const [mine] = await storedOf(documents)
    const theirs = await documents.get('factor-recovery-code', 'acc_2')
    expect(await documents.replace(theirs as StoredDocument, { version: '2', value: mine?.value ?? '' })).toBe(true)
    expect(await codes.verify('acc_2', code)).toEqual(refused('wrong'))
  })
})

describe('a recovery code', () => {
  test('is right once, and used afterwards', async () => {
    const { codes, set } = await openGenerated()
    const proof = { kind: 'recovery-code', at: time, category: 'have' }
    for (const [index, code] of set.entries()) {
      expect(await codes.verify(account, code)).toEqual({ ok: true, proof, remaining: 9 - index })
      expect(await codes.verify(account, code)).toEqual(refused('used'))
    }
    expect(await codes.find(account)).toMatchObject({ remaining: 0, lastUsedAt: time })
  })

  test.each<[string, (code: string) => string]>([
    ['in upper case', (code) => code.toUpperCase()],
    ['without dashes', (code) => code.replaceAll('-', '')],
    ['with spaces for dashes', (code) => ` ${code.replaceAll('-', ' ')}\n`],
    ['with the dashes of a word processor', (code) => code.replaceAll('-', '\u2013')],
    ['with full-width digits and dashes', (code) => inDigitsFrom(0xff10, code).replaceAll('-', '\uff0d')],
    ['with Arabic-Indic digits', (code) => inDigitsFrom(0x0660, code)],
    ['with Persian digits', (code) => inDigitsFrom(0x06f0, code)],
    ['with mathematical digits', (code) => inDigitsFrom(0x1d7ec, code)],
    ['with zero-width spaces for dashes', (code) => code.replaceAll('-', '\u200b')],
    ['with marks of direction around it', (code) => `\u2066${code}\u2069\u200f`],
    ['with O for 0 and I or l for 1', (code) => code.replaceAll('0', 'O').replace('1', 'I').replaceAll('1', 'l')],
  ])('is right %s', async (_title, write) => {
    const { codes, set } = await openGenerated()
    for (const code of set) expect(await codes.verify(account, write(code))).toMatchObject({ ok: true })
  })

  test.each<[string, (code: string) => unknown]>([
    ['a number', () => 1234],
    ['a list', (code) => [code]],
    ['nothing', () => undefined],
    ['an empty text', () => ''],
    ['one letter less', (code) => code.slice(1)],
    ['one letter more', (code) => `${code}0`],
    ['another last letter', (code) => code.slice(0, -1) + (code.endsWith('0') ? '2' : '0')],
    ['a letter that no code has', (code) => `u${code.slice(1)}`],
    ['underscores for dashes', (code) => code.replaceAll('-', '_')],
    [
      'full-width letters',
      (code) => code.replace(/[a-z0-9]/g, (one) => String.fromCodePoint(one.charCodeAt(0) + 0xfee0)),
    ],
    ['a capital letter that becomes two', (code) => `\u0130${code.slice(1)}`],
    ['ten kilobytes', (code) => code.repeat(520)],
    ['more spaces than a code has', (code) => code.padStart(101)],
    ['a Cyrillic letter that looks like a digit', (code) => `\u041e${code.slice(1)}`],
    ['a minus sign for a dash', (code) => code.replace('-', '\u2212')],
    ['a megabyte of dashes', (code) => '-'.repeat(1_000_000) + code],
  ])('is wrong, and nothing changes: %s', async (_title, write) => {
    const { codes, code, documents } = await openGenerated()
    const before = await storedOf(documents)
    expect(await codes.verify(account, write(code) as string)).toEqual(refused('wrong'))
    expect(await storedOf(documents)).toEqual(before)
  })

  test('is refused as wrong for every text outside the set', async () => {
    const { codes } = await openGenerated()
    const near = fc.string({ unit: fc.constantFrom(...'0123456789abcdefghjkmnpqrstvwxyz- '), maxLength: 24 })
    await fc.assert(
      fc.asyncProperty(fc.oneof(near, fc.string({ unit: anyCharacter })), async (text) => {
        expect(await codes.verify(account, text)).toEqual(refused('wrong'))
      }),
    )
  })

  test('is wrong for an account without codes', async () => {
    const { codes } = openCodes()
    expect(await codes.verify(account, '0000-0000-0000-0000')).toEqual(refused('not-enrolled'))
  })
})

describe('after the secret was changed', () => {
  const [old] = secrets
  const next = { id: '2027-01', bytes: randomBytes(32) }

  test('codes of the old one are right while it is given', async () => {
    const { documents, code } = await openGenerated()
    const rotated = createRecoveryCodes({ documents, secrets: [next, old], now: () => time })
    expect(await rotated.verify(account, code)).toMatchObject({ ok: true })
    expect(await rotated.verify(account, code)).toEqual(refused('used'))
  })

  test('they cannot be checked without it, which is an outage and no verdict', async () => {
    const { documents, code } = await openGenerated()
    const rotated = createRecoveryCodes({ documents, secrets: [next], now: () => time })
    const outage = { name: 'StoreError', code: 'STORE_DATA_INVALID' }
    await expect(rotated.verify(account, code)).rejects.toMatchObject(outage)
    expect(await rotated.find(account)).toMatchObject({ remaining: 10 })
    const [fresh = ''] = await rotated.generate(account)
    expect(await rotated.verify(account, fresh)).toMatchObject({ ok: true })
  })

  test('another secret of the same id makes every code wrong', async () => {
    const { documents, code } = await openGenerated()
    const other = createRecoveryCodes({ documents, secrets: [{ id: old.id, bytes: next.bytes }], now: () => time })
    expect(await other.verify(account, code)).toEqual(refused('wrong'))
  })
})
