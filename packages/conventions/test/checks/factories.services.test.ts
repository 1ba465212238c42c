import { expect, test } from 'vitest'
import { checkFactories } from '../../src/checks/check-factories.ts'
import { house } from '../this-house.ts'

test('a factory that is called with nothing says what it takes', async () => {
  expect(await checkFactories(house)).toEqual([])
}, 60_000)
