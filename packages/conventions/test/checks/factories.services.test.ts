import { expect, test } from 'vitest'
import { checkFactories } from '../../src/checks/check-factories.ts'
import { house } from '../this-house.ts'

test('a factory that is called without options names its options', async () => {
  expect(await checkFactories(house)).toEqual([])
}, 60_000)
