import { createSessions } from '@latchkey/sessions'
import { createMemoryRecordStore } from '@latchkey/store'
import { afterEach, expect, test, vi } from 'vitest'

const factors = [{ kind: 'password', at: 1 }]

afterEach(() => void vi.restoreAllMocks())

/** Opens sessions, and returns a function that reads one of them and says how many texts were parsed for it. */
async function openMany(count: number): Promise<(index: number) => Promise<number>> {
  const sessions = createSessions({ records: createMemoryRecordStore() })
  const credentials: string[] = []
  for (let opened = 0; opened < count; opened++) {
    credentials.push((await sessions.create({ subject: 'acc_1', factors }))!.credential)
  }
  const parse = vi.spyOn(JSON, 'parse')
  return async (index) => {
    const before = parse.mock.calls.length
    expect(await sessions.read(credentials[index]!)).not.toBeNull()
    return parse.mock.calls.length - before
  }
}

test('a session that is read again is not parsed again', async () => {
  const read = await openMany(3)
  expect(await read(0)).toBe(1)
  await read(1)
  await read(2)
  expect(await read(0)).toBe(0)
})

test('a parsed text is forgotten after a thousand others, so that memory is bounded', async () => {
  const read = await openMany(1002)
  for (let index = 0; index < 1002; index++) expect(await read(index)).toBe(1)
  expect(await read(0)).toBe(1)
})
