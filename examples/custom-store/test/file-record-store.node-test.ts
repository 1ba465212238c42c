// The same under the runner of Node.js: `node --test`, and nothing to install.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { describeRecordStore } from '@latchkey/store/testing'
import { createFileRecordStore } from '../src/file-record-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-files-'))
describeRecordStore({ describe, test, createStore: () => createFileRecordStore({ folder }) })
