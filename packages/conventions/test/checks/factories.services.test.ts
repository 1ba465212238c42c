import { expect, test } from 'vitest'
import { checkFactories } from '../../src/checks/check-factories.ts'
import { house } from '../this-house.ts'

/** Pages load the client: its types say what it takes, and no bytes. */
const packages = house.packages.filter(({ name }) => name !== '@latchkey/client')

test('a factory that is called with nothing says what it takes', async () => {
  expect(await checkFactories({ ...house, packages })).toEqual([])
}, 60_000)
