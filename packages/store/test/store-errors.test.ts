import { isStoreError, StoreError } from '@latchkey/store'
import { expect, test } from 'vitest'

const errorWith = (code: unknown) => Object.assign(new Error('no'), { code })

test.each([
  ['one of this package', new StoreError('STORE_UNAVAILABLE', 'no'), true],
  ['one of another copy or version of this package', errorWith('STORE_DATA_OLDER'), true],
  ['an error with a code that only ends like one', errorWith('KEY_STORE_UNAVAILABLE'), false],
  ['an error with a code that only begins like one', errorWith('STORE_unavailable'), false],
  ['an error with a code that has nothing behind its beginning', errorWith('STORE_'), false],
  ['an error with a code of several lines', errorWith('STORE_UNAVAILABLE\nno'), false],
  ['an error with a number for a code', errorWith(503), false],
  ['an error with a code in a list', errorWith(['STORE_UNAVAILABLE']), false],
  ['an error without a code', new Error('STORE_UNAVAILABLE'), false],
  ['an object with the code that is no error', { code: 'STORE_UNAVAILABLE' }, false],
  ['nothing', undefined, false],
  ['null', null, false],
])('isStoreError returns for %s whether its code is known', (_what, error, expected) => {
  expect(isStoreError(error)).toBe(expected)
})
