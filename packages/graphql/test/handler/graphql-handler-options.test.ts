import { AccessError, compileAccess, createGraphqlHandler, type GraphqlHandlerOptions } from '@latchkey/graphql'
import { createIdentityReader } from '@latchkey/http'
import { buildSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { policy } from '../support/service.ts'

const access = compileAccess({
  schema: buildSchema('type Query { hello: String }'),
  policy,
  rules: { 'Query.hello': 'public' },
})
const identify = createIdentityReader({ bearer: { verify: async () => policy.identify(null) } })

describe('createGraphqlHandler', () => {
  test.each([
    ['access', { access: {} }],
    ['access', { access: undefined }],
    ['identify', { identify: {} }],
    ['identify', { identify: undefined }],
    ['bodyLimitBytes', { bodyLimitBytes: 0 }],
    ['bodyLimitBytes', { bodyLimitBytes: 1.5 }],
    ['bodyLimitBytes', { bodyLimitBytes: Number.POSITIVE_INFINITY }],
    ['urlLimitBytes', { urlLimitBytes: Number.NaN }],
    ['urlLimitBytes', { urlLimitBytes: -1 }],
    ['executionTimeoutMs', { executionTimeoutMs: 0 }],
    ['executionTimeoutMs', { executionTimeoutMs: 2 ** 31 }],
    ['rateLimit', { rateLimit: { check: () => ({ ok: true }) } }],
    ['trustedDocuments.documents', { trustedDocuments: { documents: { a: '{ a }' }, mode: 'only' } }],
    ['trustedDocuments.mode', { trustedDocuments: { documents: new Map() } }],
    [
      'trustedDocuments.publicMaxAgeSeconds',
      { trustedDocuments: { documents: new Map(), mode: 'also', publicMaxAgeSeconds: 0 } },
    ],
    ['batchLimit', { batchLimit: 11 }],
    ['batchLimit', { batchLimit: 0 }],
    ['statusProfile', { statusProfile: 'draft' }],
    ['ratelimit', { ratelimit: () => ({ ok: true }) }],
  ])('refuses an unusable "%s"', (name, wrong) => {
    const options = { access, identify, ...wrong } as GraphqlHandlerOptions<typeof policy>
    expect(() => createGraphqlHandler(options)).toThrow(TypeError)
    expect(() => createGraphqlHandler(options)).toThrow(`"${name}"`)
  })

  test('needs no more than an access and an identity reader', async () => {
    const { fetch } = createGraphqlHandler({ access, identify })
    const response = await fetch(new Request('https://example.com/graphql?query={hello}'))
    expect(await response.json()).toEqual({ data: { hello: null } })
  })
})

describe('AccessError', () => {
  test('sends its code and details, and keeps its cause', () => {
    const cause = new Error('secret')
    const error = new AccessError('BAD_USER_INPUT', { field: 'input.title', cause })
    expect(error).toMatchObject({
      name: 'AccessError',
      code: 'BAD_USER_INPUT',
      message: 'The input is not valid.',
      cause,
    })
    expect(error.extensions).toEqual({ code: 'BAD_USER_INPUT', field: 'input.title' })
    expect(JSON.stringify(error)).not.toContain('secret')
  })

  test('has a message of its own where one is given', () => {
    expect(new AccessError('NOT_FOUND', { message: 'No such article.' }).message).toBe('No such article.')
  })
})
