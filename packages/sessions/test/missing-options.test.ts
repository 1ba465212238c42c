import { randomBytes } from '@latchkey/bytes'
import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import { createMemoryRecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'

const records = createMemoryRecordStore()
const secrets = [{ id: 'a', bytes: randomBytes(32) }]

describe('a factory without a store or a secret throws', () => {
  test.each([
    ['"records" must be a record store', () => createSessions({} as never)],
    ['"records" must be a record store', () => createSessions({ records: new Map() } as never)],
    ['"records" must be a record store', () => createSessions({ records: Promise.resolve(records) } as never)],
    ['"records" must be a record store', () => createRefreshTokens({ secrets } as never)],
    ['"secrets" must be a list', () => createRefreshTokens({ records } as never)],
  ])('%s', (message, make) => {
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })
})

test.each([
  ['"subject" must not be empty', { factors: [] }],
  ['"factors" must be a list', { subject: 'acc_1' }],
])('no session is created without subject or factors: %s', async (message, input) => {
  await expect(createSessions({ records }).create(input as never)).rejects.toThrow(message)
  expect(await createSessions({ records }).list('acc_1')).toEqual([])
})
