import { createIdentityReader } from '@latchkey/http'
import { definePolicy } from '@latchkey/rbac'
import { buildSchema } from 'graphql'
import { afterEach, expect, test, vi } from 'vitest'
import { internalFiles, untilExecutorIsLoaded } from '../support/lean-execution.ts'

// What executes uses two files of graphql that are not its public API. These stand in for a version in which they changed.

const [executor = '', shared = '', diagnostics = ''] = internalFiles

class Strange {
  executeRootSelectionSet() {
    return { data: { yes: 'of another executor' } }
  }
}

const changes: readonly (readonly [what: string, file: string, change: () => object])[] = [
  ['has no such class', executor, () => ({ ExecutorThrowingOnIncremental: undefined })],
  ['answers something else', executor, () => ({ ExecutorThrowingOnIncremental: Strange })],
  [
    'throws',
    executor,
    () => ({
      ExecutorThrowingOnIncremental: class {
        constructor() {
          throw new Error('changed')
        }
      },
    }),
  ],
  [
    'is not there',
    executor,
    () => {
      throw new Error('not found')
    },
  ],
  ['shares nothing', shared, () => ({ createSharedExecutionContext: undefined })],
  ['shares something else', shared, () => ({ createSharedExecutionContext: () => ({}) })],
  ['says of nothing whether it is traced', diagnostics, () => ({ shouldTrace: undefined })],
]

afterEach(() => {
  for (const file of internalFiles) vi.doUnmock(file)
  vi.resetModules()
})

test.each(changes)('operations are executed by execute where graphql %s (%s)', async (_what, file, change) => {
  vi.resetModules()
  vi.doMock(file, change)
  const { compileAccess, createGraphqlHandler } = await import('@latchkey/graphql')
  const policy = definePolicy({ permissions: ['notes:read'], roles: {} })
  const schema = buildSchema('type Query { yes: String }')
  const handler = createGraphqlHandler({
    access: compileAccess({ schema, policy, rules: { 'Query.yes': 'public' } }),
    identify: createIdentityReader({ bearer: { verify: async () => null } }),
    context: () => ({ yes: 'yes' }),
  })
  const ask = async () => {
    const response = await handler.fetch(new Request('https://example.com/graphql?query={yes}'))
    return `${response.status} ${await response.text()}`
  }
  expect(await ask()).toBe('200 {"data":{"yes":null}}')
  await untilExecutorIsLoaded()
  expect(await ask()).toBe('200 {"data":{"yes":null}}')
})
