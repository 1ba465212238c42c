import {
  counterModel,
  documentModel,
  isLinearizable,
  type Operation,
  recordModel,
} from '@latchkey/store/internal/testing'
import { expect, test } from 'vitest'

const call = (method: string, input: readonly unknown[], answer: unknown, start: number, end: number): Operation => ({
  caller: 'A',
  method,
  input,
  answer,
  start,
  end,
})

const note = { collection: 'note', id: '1', owner: 'ann', version: 'v1', value: 'first' }
const { insert, read, readNone, removeAll } = {
  insert: (start: number, end: number, owner = 'ann') => call('insert', [{ ...note, owner }], true, start, end),
  read: (start: number, end: number, owner = 'ann') => call('get', ['note', '1'], { ...note, owner }, start, end),
  readNone: (start: number, end: number) => call('get', ['note', '1'], null, start, end),
  removeAll: (owner: string, start: number, end: number, collections?: readonly string[]) =>
    call('removeByOwner', [owner, collections && { collections }], 1, start, end),
}
const next = { version: 'v2', value: 'second' }
const replace = call('replace', [note, next], true, 3, 6)
const readReplaced = call('get', ['note', '1'], { ...note, ...next }, 7, 8)

test.each<[string, boolean, readonly Operation[]]>([
  ['is read after the removal of its owner', false, [insert(1, 2), removeAll('ann', 3, 4), read(5, 6)]],
  ['is gone after the removal of its owner', true, [insert(1, 2), removeAll('ann', 3, 4), readNone(5, 6)]],
  ['is gone after the removal of another owner', false, [insert(1, 2), removeAll('bob', 3, 4), readNone(5, 6)]],
  [
    'is gone without a removal of its collection',
    false,
    [insert(1, 2), removeAll('ann', 3, 4, ['key']), readNone(5, 6)],
  ],
  ['is read after the removal of its collection', false, [insert(1, 2), removeAll('ann', 3, 4, ['note']), read(5, 6)]],
  ['outlives a removal beside its insert', true, [insert(1, 4), removeAll('ann', 2, 5), read(6, 7)]],
  ['outlives a removal after another read of it', true, [insert(1, 8), read(2, 3), removeAll('ann', 4, 5), read(6, 7)]],
  ['is removed beside its insert', true, [insert(1, 4), removeAll('ann', 2, 5), readNone(6, 7)]],
  ['is removed after the end of a removal', false, [insert(1, 10), removeAll('ann', 2, 5), read(6, 7), readNone(8, 9)]],
  ['outlives a removal beside its replace', false, [insert(1, 2), replace, removeAll('ann', 4, 5), readReplaced]],
  [
    'is kept for its next owner',
    true,
    [insert(1, 2), call('remove', [note], true, 3, 4), insert(5, 6, 'bob'), removeAll('ann', 7, 8), read(9, 10, 'bob')],
  ],
  ['is read with another owner', false, [insert(1, 2), read(3, 4, 'bob')]],
])('a history of a document that %s is linearizable: %s', (_title, expected, history) => {
  expect(isLinearizable(history, documentModel)).toBe(expected)
})

const record = { key: 'key', owner: 'ann', value: 'first', expiresAt: 10 }
const insertRecord = call('insert', [record], true, 1, 2)
const readRecord = call('get', ['key'], { ...record, version: 1 }, 5, 6)

test.each<[string, boolean, readonly Operation[]]>([
  ['is read after a removal that excepts it', true, [call('removeByOwner', ['ann', { except: 'key' }], 0, 3, 4)]],
  [
    'is read after a removal that excepts another',
    false,
    [call('removeByOwner', ['ann', { except: 'other' }], 1, 3, 4)],
  ],
  ['is read without the expiry of a touch', false, [call('touch', [record, 20], true, 3, 4)]],
  ['is read without a replace', false, [call('replace', [{ ...record, version: 1 }, record], true, 3, 4)]],
  ['is read beside a touch', true, [call('touch', [record, 20], true, 3, 6)]],
])('a history of a record that %s is linearizable: %s', (_title, expected, history) => {
  expect(isLinearizable([insertRecord, ...history, readRecord], recordModel)).toBe(expected)
})

const [hour, endless, never] = [3_600_000, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY]
const hit = (by: number, count: number, resetAt: number, start: number, windowMs = hour) =>
  call('hit', ['key', windowMs, by], { count, resetAt }, start, start + 1)
const reset = (start: number, end: number) => call('reset', ['key'], undefined, start, end)
const lost = call('hit', ['key', hour, 2], undefined, 1, never)

test.each<[string, boolean, readonly Operation[]]>([
  ['keeps the end of its window', true, [hit(1, 1, 50, 1), hit(1, 2, 50, 3)]],
  ['moves the end of its window', false, [hit(1, 1, 50, 1), hit(1, 2, 51, 3)]],
  ['moves the end of its window after a reset', true, [hit(1, 1, 50, 1), reset(3, 4), hit(1, 1, 51, 5)]],
  ['moves the end of its window beside a reset', true, [hit(1, 1, 50, 1), reset(2, 9), hit(1, 1, 51, 5)]],
  ['counts on after a reset', false, [hit(1, 1, 50, 1), reset(3, 4), hit(1, 2, 50, 5)]],
  ['ends a window of Infinity', false, [hit(1, 1, 50, 1, never)]],
  ['has a window of Infinity without end', true, [hit(1, 1, endless, 1, never), hit(1, 2, endless, 3)]],
  ['has a shorter window without end', false, [hit(1, 1, endless, 1)]],
  ['is read before it is opened', true, [hit(0, 0, 7, 1), hit(-1, 0, 8, 3), hit(1, 1, 50, 5)]],
  ['is opened by a hit of -1', false, [hit(-1, 0, 50, 1), hit(1, 0, 50, 3)]],
  ['falls below 0', false, [hit(1, 1, 50, 1), hit(-2, -1, 50, 3)]],
  ['stays at 0', true, [hit(1, 1, 50, 1), hit(-2, 0, 50, 3), hit(1, 1, 50, 5)]],
  ['has a hit without an answer, seen late', true, [lost, hit(0, 0, 7, 2), hit(0, 2, 50, 4), hit(1, 3, 50, 6)]],
  ['has a hit without an answer, seen twice', false, [lost, hit(0, 2, 50, 2), hit(0, 4, 50, 4)]],
  ['has a hit without an answer, seen with two ends', false, [lost, hit(0, 2, 50, 2), hit(0, 2, 51, 4)]],
])('a history of a counter that %s is linearizable: %s', (_title, expected, history) => {
  expect(isLinearizable(history, counterModel)).toBe(expected)
})

test('a race of twenty callers that two of them win is refused within the bound', () => {
  const race = Array.from({ length: 20 }, (_none, index) =>
    call('insert', [{ ...note, version: `v${index}` }], index % 10 === 0, index, 100 + index),
  )
  expect(isLinearizable(race, documentModel)).toBe(false)
})
