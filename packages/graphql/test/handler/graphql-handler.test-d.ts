import { AccessError, type AccessEvent, compileAccess, createGraphqlHandler } from '@latchkey/graphql'
import { createIdentityReader, type HttpResponse } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import { buildSchema } from 'graphql'
import { expectTypeOf, test } from 'vitest'
import { policy } from '../support/service.ts'

const access = compileAccess({
  schema: buildSchema('type Query { hello: String }'),
  policy,
  rules: { 'Query.hello': 'public' },
})
const identify = createIdentityReader({ bearer: { verify: async () => policy.identify(null) } })

test('the context knows the permissions of the policy', () => {
  createGraphqlHandler({
    access,
    identify,
    context: ({ can, identity }, request, { forged, headers }) => {
      expectTypeOf(identity).toEqualTypeOf<Identity | null>()
      expectTypeOf(request.method).toEqualTypeOf<string>()
      expectTypeOf(forged).toEqualTypeOf<boolean>()
      expectTypeOf(headers).toEqualTypeOf<HttpResponse['headers']>()
      // @ts-expect-error: no such permission
      can('articles:destroy')
      return { mayUpdate: can('articles:update') }
    },
  })
})

test('createGraphqlHandler rejects the type of a reader that does not return identities', () => {
  const names = createIdentityReader({ bearer: { verify: async () => 'ada' } })
  // @ts-expect-error: a name is no identity
  createGraphqlHandler({ access, identify: names })
})

test('a code that the table does not know does not compile', () => {
  new AccessError('FORBIDDEN')
  // @ts-expect-error: misspelt
  new AccessError('FORBIDEN')
  // @ts-expect-error: seconds are a number
  new AccessError('RATE_LIMITED', { retryAfterSeconds: '5' })
})

test('an event is discriminated by its type', () => {
  const onEvent = (event: AccessEvent) => {
    if (event.type === 'access.failed') expectTypeOf(event.cause).toEqualTypeOf<unknown>()
    else if (event.type === 'limit.exceeded') expectTypeOf(event.cost).toEqualTypeOf<number | null>()
    else expectTypeOf(event.status).toEqualTypeOf<401 | 403>()
  }
  createGraphqlHandler({ access, identify, observe: { onEvent } })
})
