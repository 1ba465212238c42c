import {
  createBroadcastReaders,
  createMemoryBroadcast,
  createMemoryCounterStore,
  createMemoryRecordStore,
  createOneTimeCredentials,
} from '@latchkey/store'
import { describe, expect, test } from 'vitest'

const records = createMemoryRecordStore()
const reset = { records, kind: 'reset', ttlSeconds: 60 }

describe('a misspelt option is refused', () => {
  test.each<[message: string, create: () => unknown]>([
    [
      'createMemoryRecordStore has no option "clock", only "now"',
      () => createMemoryRecordStore({ clock: () => 0 } as never),
    ],
    [
      'createMemoryCounterStore has no option "Now". Did you mean "now"?',
      () => createMemoryCounterStore({ Now: () => 0 } as never),
    ],
    [
      'createMemoryBroadcast has no option "unreadAtmost". Did you mean "unreadAtMost"?',
      () => createMemoryBroadcast({ unreadAtmost: 1 } as never),
    ],
    [
      'createBroadcastReaders has no option "unread". Did you mean "unreadAtMost"?',
      () => createBroadcastReaders({ unreadAtMost: 1, unread: 1 } as never),
    ],
    [
      'createOneTimeCredentials has no option "ttlSecond". Did you mean "ttlSeconds"?',
      () => createOneTimeCredentials({ ...reset, ttlSecond: 1 } as never),
    ],
    [
      'createOneTimeCredentials has no option "owner", only "records", "kind", "ttlSeconds", "now"',
      () => createOneTimeCredentials({ ...reset, owner: 'acc_1' } as never),
    ],
  ])('%s', (message, create) => {
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
  })
})

describe('a factory with required options names them if it is called without options', () => {
  test.each<[message: string, create: () => unknown]>([
    ['createBroadcastReaders takes an object with "unreadAtMost"', () => createBroadcastReaders(undefined as never)],
    [
      'createOneTimeCredentials takes an object with "records", "kind", "ttlSeconds", "now"',
      () => createOneTimeCredentials(undefined as never),
    ],
    ['"records" must be a record store', () => createOneTimeCredentials({ ...reset, records: undefined } as never)],
  ])('%s', (message, create) => {
    expect(create).toThrow(TypeError)
    expect(create).toThrow(message)
  })
})
