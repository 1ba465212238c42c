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
    ['requestLimits.bodyBytes', { requestLimits: { bodyBytes: 0 } }],
    ['requestLimits.bodyBytes', { requestLimits: { bodyBytes: 1.5 } }],
    ['requestLimits.bodyBytes', { requestLimits: { bodyBytes: Number.POSITIVE_INFINITY } }],
    ['requestLimits.urlBytes', { requestLimits: { urlBytes: Number.NaN } }],
    ['requestLimits.urlBytes', { requestLimits: { urlBytes: -1 } }],
    ['requestLimits.executionMs', { requestLimits: { executionMs: 0 } }],
    ['requestLimits.executionMs', { requestLimits: { executionMs: 2 ** 31 } }],
    ['rateLimit', { rateLimit: { check: () => ({ ok: true }) } }],
    ['trustedDocuments.documents', { trustedDocuments: { documents: { a: '{ a }' }, mode: 'only' } }],
    ['trustedDocuments.mode', { trustedDocuments: { documents: new Map() } }],
    [
      'trustedDocuments.publicMaxAgeSeconds',
      { trustedDocuments: { documents: new Map(), mode: 'also', publicMaxAgeSeconds: 0 } },
    ],
    ['requestLimits.batchSize', { requestLimits: { batchSize: 11 } }],
    ['requestLimits.batchSize', { requestLimits: { batchSize: 0 } }],
    ['observe.onEvent', { observe: { onEvent: 'all' } }],
    ['observe.onMeasurement', { observe: { onMeasurement: {} } }],
    ['observe.traceExecution', { observe: { traceExecution: true } }],
    ['observe.requestId', { observe: { requestId: 'x-request-id' } }],
    ['statusProfile', { statusProfile: 'draft' }],
    ['ratelimit', { ratelimit: () => ({ ok: true }) }],
  ])('refuses an unusable "%s"', (name, wrong) => {
    const options = { access, identify, ...wrong } as GraphqlHandlerOptions<typeof policy>
    expect(() => createGraphqlHandler(options)).toThrow(TypeError)
    expect(() => createGraphqlHandler(options)).toThrow(`"${name}"`)
  })

  test('requires only access and identify', async () => {
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

  test('has the given message', () => {
    expect(new AccessError('NOT_FOUND', { message: 'No such article.' }).message).toBe('No such article.')
  })
})
