import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeRecordStore } from '@latchkey/store/testing'
import { afterAll, describe, test } from 'vitest'
import { createFileRecordStore } from '../src/file-record-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-files-'))
afterAll(() => rmSync(folder, { recursive: true }))
describeRecordStore({
  describe,
  test,
  createStore: () => createFileRecordStore({ folder }),
  createStoreAt: (now) => createFileRecordStore({ folder, now }),
})
