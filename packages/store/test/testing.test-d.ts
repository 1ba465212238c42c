import * as nodeTest from 'node:test'
import type { RecordStore, StoredRecord } from '@latchkey/store'
import type { NewRecord } from '@latchkey/store/internal'
import { describeRecordStore, type TestRunner } from '@latchkey/store/testing'
import { describe, expectTypeOf, test } from 'vitest'

test('the runners of vitest and node:test fit without adapters', () => {
  expectTypeOf({ describe, test }).toExtend<TestRunner>()
  expectTypeOf({ describe: nodeTest.describe, test: nodeTest.test }).toExtend<TestRunner>()
})

test('a store may be made at once or later', () => {
  type CreateStore = Parameters<typeof describeRecordStore>[0]['createStore']
  expectTypeOf<() => RecordStore>().toExtend<CreateStore>()
  expectTypeOf<() => Promise<RecordStore>>().toExtend<CreateStore>()
  // @ts-expect-error the kit needs a store
  describeRecordStore({ describe, test })
})

test('a stored record has a version, and a new record has none', () => {
  expectTypeOf<keyof NewRecord>().toEqualTypeOf<'key' | 'owner' | 'expiresAt' | 'value'>()
  expectTypeOf<StoredRecord>().toExtend<NewRecord>()
})
