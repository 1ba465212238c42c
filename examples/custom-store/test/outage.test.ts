import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFileRecordStore } from '../src/file-record-store.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

const record = { key: 'se_1', owner: 'acc_1', expiresAt: Date.now() + 3_600_000, value: '{}' }

test('a failing disk is an outage, never an absent record', async () => {
  const folder = join(newFolder(), 'file')
  writeFileSync(folder, 'no folder')
  const store = createFileRecordStore({ folder })
  const unavailable = { name: 'StoreError', code: 'STORE_UNAVAILABLE' }
  await expect(store.get('se_1')).rejects.toMatchObject(unavailable)
  await expect(store.insert(record)).rejects.toMatchObject(unavailable)
})

test('unknown keys create nothing', async () => {
  const folder = newFolder()
  const store = createFileRecordStore({ folder })
  const unknown = { ...record, version: 1 }
  await store.get('se_unknown')
  await store.replace(unknown, unknown)
  await store.touch(unknown, unknown.expiresAt)
  await store.remove('se_unknown')
  await store.removeByOwner('acc_1')
  expect(readdirSync(folder)).toEqual([])
})

test('a removed record leaves nothing behind', async () => {
  const folder = newFolder()
  const store = createFileRecordStore({ folder })
  await store.insert(record)
  await store.replace({ ...record, version: 1 }, { ...record, value: 'second' })
  await store.remove('se_1')
  const left = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(left).toEqual([])
  expect(readdirSync(join(folder, 'records'))).toEqual([])
  expect(readdirSync(join(folder, 'drafts'))).toEqual([])
})
