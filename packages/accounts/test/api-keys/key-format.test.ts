import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { allowNativeDelivery } from '@latchkey/accounts'
import { createMemoryDocumentStore, type DocumentStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createBench } from '../bench.ts'
import { keyOptions, openKeys } from './keys-bench.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The check of a key, computed by another implementation of CRC-32. */
function checkOf(body: string): string {
  let rest = crc32(body)
  let text = ''
  while (text.length < 6) {
    text = `${alphabet[rest % 62]}${text}`
    rest = Math.floor(rest / 62)
  }
  return text
}

const withCheck = (body: string): string => `${body}${checkOf(body)}`

/** Counts the reads of a document store. */
function countReads(): { readonly documents: DocumentStore; readonly reads: string[] } {
  const documents = createMemoryDocumentStore()
  const reads: string[] = []
  return {
    reads,
    documents: {
      ...documents,
      get: (collection, id) => {
        reads.push(`${collection} ${id}`)
        return documents.get(collection, id)
      },
    },
  }
}

describe('the text of an API key', () => {
  test('is the prefix, an id of 16 characters, a secret of 43 and a check of 6 in base 62', async () => {
    const { bench, identity } = await openKeys()
    const { key, apiKey } = await bench.create(identity)
    expect(key).toMatch(/^lk_[0-9A-Za-z]{65}$/)
    expect(key.slice(3, 19)).toBe(apiKey.id)
    expect(key.slice(-6)).toBe(checkOf(key.slice(0, -6)))
    expect(apiKey.start).toBe(key.slice(0, 8))
  })

  test('is stored as its id and the hash of its secret only', async () => {
    const { bench, identity, documents } = await openKeys()
    const { key } = await bench.create(identity)
    const stored = JSON.stringify(await documents.list('api-keys'))
    expect(stored).toContain(key.slice(3, 19))
    expect(stored).not.toContain(key.slice(19, 62))
    expect(JSON.stringify(bench.events)).not.toContain(key.slice(19, 62))
  })

  const body = `lk_${'a'.repeat(16)}${'b'.repeat(43)}`
  const right = withCheck(body)
  test.each([
    ['empty', ''],
    ['the prefix alone', 'lk_'],
    ['one character short', right.slice(0, -1)],
    ['one character more', `${right}0`],
    ['a wrong check', `${body}${'0'.repeat(6)}`],
    ['a check in another case', `${body}${checkOf(body).toLowerCase()}X`.slice(0, 68)],
    ['another prefix', withCheck(body.replace('lk_', 'sk_'))],
    ['a prefix in capitals', withCheck(body.replace('lk_', 'LK_'))],
    ['characters of base64url', withCheck(`lk_${'-'.repeat(16)}${'_'.repeat(43)}`)],
    ['a line break', `${right.slice(0, 67)}\n`],
    ['white space around it', ` ${right}`],
    ['letters beyond ASCII', withCheck(`lk_${'é'.repeat(16)}${'b'.repeat(43)}`)],
    ['astral characters', withCheck(`lk_${'\u{1f511}'.repeat(8)}${'b'.repeat(43)}`)],
    ['a NUL', withCheck(`lk_${'\0'.repeat(16)}${'b'.repeat(43)}`)],
    ['the name of a member of every object', withCheck(`lk_${'__proto__'.padEnd(16, '_')}${'b'.repeat(43)}`)],
    ['a megabyte', `lk_${'a'.repeat(1_000_000)}`],
  ])('%s is refused without a read of the store', async (_name, key) => {
    const { documents, reads } = countReads()
    const bench = createBench({ options: { documents, apiKeys: keyOptions } })
    expect(await bench.accounts.identifyApiKey({ key })).toBeNull()
    expect(reads).toEqual([])
    expect(bench.events.at(-1)).toMatchObject({ type: 'api-key.refused', reason: 'malformed', apiKeyId: null })
  })

  test('a right check is looked up', async () => {
    const { documents, reads } = countReads()
    const bench = createBench({ options: { documents, apiKeys: keyOptions } })
    expect(await bench.accounts.identifyApiKey({ key: right })).toBeNull()
    expect(reads).toEqual([`api-keys ${'a'.repeat(16)}`])
  })

  test('the expression of the guide for secret scanners matches keys and no other tokens', async () => {
    const guide = readFileSync(new URL('../../../../docs/guides/api-keys.md', import.meta.url), 'utf8')
    const [, source = ''] = /```text\n(\\b.+)\n```/.exec(guide) ?? []
    const scanner = new RegExp(source)
    const { bench, identity } = await openKeys({ signIn: { nativeDelivery: allowNativeDelivery } })
    const keys = await Promise.all(Array.from({ length: 20 }, () => bench.create(identity)))
    for (const { key } of keys) expect(`token=${key};`).toMatch(scanner)
    const { credentials, deviceToken } = await bench.signIn({ delivery: 'native' })
    const session = await bench.signIn()
    const others = [
      credentials,
      deviceToken,
      session.credentials,
      session.identity,
      ...keys.map(({ apiKey }) => apiKey),
    ]
    expect(JSON.stringify(others)).not.toMatch(scanner)
  })
})
