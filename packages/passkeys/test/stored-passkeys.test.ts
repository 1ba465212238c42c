import { readFileSync } from 'node:fs'
import { createMemoryDocumentStore, type DocumentStore, type StoredDocument } from '@latchkey/store'
import { expect, test } from 'vitest'
import { ada, createBench, registered, start } from './passkeys-bench.ts'

// What a passkey looked like in the first release: written by it, and never edited.
interface Golden {
  readonly document: Omit<StoredDocument, 'version'>
}

const golden: Golden = JSON.parse(readFileSync(new URL('fixtures/passkey-version-1.json', import.meta.url), 'utf8'))

async function openGolden(members: object = {}): Promise<DocumentStore> {
  const documents = createMemoryDocumentStore()
  const value = JSON.stringify({ ...JSON.parse(golden.document.value), ...members })
  await documents.insert({ ...golden.document, version: '1', value })
  return documents
}

test('a passkey of version 1 is read by this release', async () => {
  const { passkeys } = createBench({ documents: await openGolden() })
  expect(await passkeys.list(ada.id)).toEqual([
    {
      id: golden.document.id,
      kind: 'passkey',
      name: 'Phone',
      createdAt: start,
      lastUsedAt: null,
      backedUp: true,
      category: 'know+have',
    },
  ])
})

test('a passkey is stored as in version 1', async () => {
  const bench = createBench()
  await registered(bench)
  const [stored] = (await bench.documents.listByOwner(ada.id)).items
  const [now, then] = [JSON.parse(stored!.value), JSON.parse(golden.document.value)]
  expect(Object.keys(now)).toEqual(Object.keys(then))
  expect(now.v).toBe(1)
  expect({ ...then, credentialId: now.credentialId, publicKey: now.publicKey }).toEqual(now)
})

test('a member that a newer release has added is kept by a new name', async () => {
  const documents = await openGolden({ color: 'green' })
  const { passkeys } = createBench({ documents })
  expect((await passkeys.rename(ada.id, golden.document.id, 'Tablet')).ok).toBe(true)
  const [stored] = (await documents.listByOwner(ada.id)).items
  expect(JSON.parse(stored!.value)).toEqual({ ...JSON.parse(golden.document.value), color: 'green', name: 'Tablet' })
})

test.each<[code: string, members: object]>([
  ['STORE_DATA_NEWER', { v: 99 }],
  ['STORE_DATA_INVALID', { v: 'one' }],
  ['STORE_DATA_INVALID', { counter: -1 }],
  ['STORE_DATA_INVALID', { counter: '1' }],
  ['STORE_DATA_INVALID', { publicKey: null }],
  ['STORE_DATA_INVALID', { transports: 'usb' }],
  ['STORE_DATA_INVALID', { userVerified: 1 }],
  ['STORE_DATA_INVALID', { lastUsedAt: 'yesterday' }],
])(
  'a passkey that cannot be read (%s: %j) is not changed, is listed by no release, and can be removed',
  async (code, members) => {
    const documents = await openGolden(members)
    const { passkeys } = createBench({ documents })
    const listed = passkeys.list(ada.id)
    if (code === 'STORE_DATA_NEWER') await expect(listed).rejects.toMatchObject({ code })
    else expect(await listed).toEqual([])
    await expect(passkeys.rename(ada.id, golden.document.id, 'Tablet')).rejects.toMatchObject({ code })
    expect(await passkeys.remove(ada.id, golden.document.id)).toBe(true)
    expect(await passkeys.list(ada.id)).toEqual([])
  },
)
