import { versionInfo } from 'graphql'
import { expect, test } from 'vitest'

test('the tests run with the release of graphql that their project is named after', () => {
  expect(versionInfo.major).toBe(Number(process.env.GRAPHQL_MAJOR ?? 17))
})
