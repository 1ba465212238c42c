import { createIdentityReader } from '@latchkey/http'
import { definePolicy } from '@latchkey/rbac'
import { buildSchema } from 'graphql'
import { afterEach, expect, test, vi } from 'vitest'
import { since17 } from '../support/graphql-version.ts'
import { internalFiles, untilExecutorIsLoaded } from '../support/lean-execution.ts'

// What executes uses two files of graphql that are not its public API. These stand in for a version in which they changed.

const [executor = '', shared = '', diagnostics = ''] = internalFiles

class Strange {
  executeRootSelectionSet() {
    return { data: { yes: 'of another executor' } }
  }
}

const changes: readonly (readonly [what: string, file: string, change: () => object])[] = [
  ['has no such class', executor, () => ({ Executor: undefined })],
  ['answers something else', executor, () => ({ Executor: Strange })],
  [
    'throws',
    executor,
    () => ({
      Executor: class {
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
    identify: createIdentityReader({ bearer: { verify: async () => policy.identify(null) } }),
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

// The executor does not support answers in parts; execute of graphql 17 refuses this schema as a whole.
test.each(since17('defer', 'stream'))(
  'a schema that knows @%s is left to execute, which does not execute it',
  async (name) => {
    const { compileAccess, createGraphqlHandler } = await import('@latchkey/graphql')
    const policy = definePolicy({ permissions: ['notes:read'], roles: {} })
    const causes: unknown[] = []
    const handler = createGraphqlHandler({
      access: compileAccess({
        schema: buildSchema(`directive @${name}(if: Boolean) on FIELD | INLINE_FRAGMENT type Query { yes: String }`),
        policy,
        rules: { 'Query.yes': 'public' },
      }),
      identify: createIdentityReader({ bearer: { verify: async () => policy.identify(null) } }),
      observe: { onEvent: (event) => causes.push('cause' in event && String(event.cause)) },
    })
    await untilExecutorIsLoaded()
    for (const _time of ['first', 'second']) {
      const { status } = await handler.fetch(new Request('https://example.com/graphql?query={yes}'))
      expect(status).toBe(500)
    }
    expect(causes).toEqual(Array(2).fill(expect.stringContaining('experimental directives')))
  },
)
