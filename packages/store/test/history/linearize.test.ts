import {
  describeHistory,
  isLinearizable,
  type Operation,
  type SequentialModel,
  shortestFailure,
} from '@latchkey/store/internal/testing'
import { expect, test } from 'vitest'

/** A register of one number, as in the paper of Herlihy and Wing. */
const register: SequentialModel<number> = {
  initial: 0,
  step: (state, { method, input, answer }) =>
    method === 'write' ? [Number(input[0])] : state === answer ? [state] : [],
  isRead: ({ method }) => method === 'read',
}
const write = (value: number, start: number, end: number): Operation => ({
  caller: 'A',
  method: 'write',
  input: [value],
  start,
  end,
})
const read = (answer: number, start: number, end: number): Operation => ({
  caller: 'B',
  method: 'read',
  input: [],
  answer,
  start,
  end,
})
const never = Number.POSITIVE_INFINITY

test.each<[string, boolean, readonly Operation[]]>([
  ['no calls', true, []],
  ['a read after a write', true, [write(1, 1, 2), read(1, 3, 4)]],
  ['an old read after an acknowledged write', false, [write(1, 1, 2), read(0, 3, 4)]],
  ['an old read beside a write', true, [write(1, 1, 4), read(0, 2, 3)]],
  ['a new and then an old read beside a write', false, [write(1, 1, 6), read(1, 2, 3), read(0, 4, 5)]],
  ['an old and then a new read beside a write', true, [write(1, 1, 6), read(0, 2, 3), read(1, 4, 5)]],
  ['a write without an answer that is never seen', true, [write(1, 1, never), read(0, 2, 3)]],
  ['a write without an answer that is seen late', true, [write(1, 1, never), read(0, 2, 3), read(1, 4, 5)]],
  ['a write without an answer that disappears', false, [write(1, 1, never), read(1, 2, 3), read(0, 4, 5)]],
  ['two writes at once seen in two orders', false, [write(1, 1, 3), write(2, 2, 4), read(1, 5, 6), read(2, 7, 8)]],
  ['a value from nowhere', false, [write(1, 1, 2), read(7, 3, 4)]],
])('a history with %s is linearizable: %s', (_title, expected, history) => {
  expect(isLinearizable(history, register)).toBe(expected)
})

test('a search beyond its bound throws', () => {
  const history = [...Array.from({ length: 12 }, (_none, index) => write(index, index, 50 + index)), read(99, 80, 81)]
  expect(() => isLinearizable(history, register, 20)).toThrow('too many orders')
})

test('the shortest failure omits reads that are not needed and later calls', () => {
  const history = [read(0, 1, 2), write(1, 3, 4), read(1, 5, 6), read(0, 7, 8), read(1, 9, 10)]
  const failure = shortestFailure(history, register)
  expect(describeHistory(failure ?? [])).toBe('  A [3–4] write(1): undefined\n  B [7–8] read(): 0')
})
