import {
  AccessError,
  type AuthContext,
  compileAccess,
  createGraphqlHandler,
  createSubscriptions,
  type GraphqlHandlerOptions,
  type StepUpHook,
} from '@latchkey/graphql'
import { createStreamHandler } from '@latchkey/graphql/sse'
import type { HttpHandler } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { identityOf, now, policy, schemaOf, type TestPolicy } from '../support/access-fixture.ts'

type Context = AuthContext<TestPolicy>

/** The resolvers that ran. */
const ran: string[] = []
const schema = schemaOf(
  `type Query {
      export: String @authenticated @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
      replace: String @authenticated @stepUp(maxAgeSeconds: 600, ifEnrolled: true, recoveryCode: true)
      publish: String @authenticated @stepUp(maxAgeSeconds: 60)
      within(maxAgeSeconds: Int!): String @authenticated
      own: String @authenticated
    }
    type Mutation { note: Note @authenticated }
    type Note { id: ID @public, secret: String @public }
    type Subscription {
      exports: String @authenticated @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
      inSource: String @authenticated
    }`,
  {
    Query: {
      within: (_source, { maxAgeSeconds }: { maxAgeSeconds: number }, { authorize }: Context) =>
        authorize({ stepUp: { maxAgeSeconds } }).subject,
      own: () => {
        throw new AccessError('STEP_UP_REQUIRED', { challenge: 'mine', factors: ['totp'], maxAgeSeconds: 5 })
      },
    },
    Mutation: {
      note: () => {
        ran.push('note')
        return { id: '1' }
      },
    },
    Note: {
      secret: (_source, _args, { authorize }: Context) => authorize({ stepUp: { maxAgeSeconds: 300 } }).subject,
    },
  },
)
const inSource = schema.getSubscriptionType()?.getFields().inSource
if (inSource) {
  inSource.subscribe = async (_source, _args, { authorize }: Context) => {
    authorize({ stepUp: { maxAgeSeconds: 300 } })
  }
}
const access = compileAccess({ schema, policy, now: () => now })

type Factors = Pick<Identity, 'factors' | 'enrolledFactors'>

/** A handler for one identity, and the calls of its hook. */
function open(
  who: Partial<Factors>,
  stepUp: StepUpHook | null = async () => ({ challenge: 'st_1', factors: ['totp', 'recovery-code'] }),
) {
  const identity = identityOf('editor', 'EDITOR', who)
  const calls: Parameters<StepUpHook>[] = []
  const options: GraphqlHandlerOptions<TestPolicy> = {
    access,
    identify: { read: async () => ({ credential: 'bearer', identity }) },
    observe: { onEvent: () => undefined },
    ...(stepUp && {
      stepUp: (...given) => {
        calls.push(given)
        return stepUp(...given)
      },
    }),
  }
  const handler = createGraphqlHandler(options)
  const streams = createStreamHandler({ subscriptions: createSubscriptions(options) })
  return { identity, calls, ask: askOf(handler), subscribe: askOf(streams, 'text/event-stream') }
}

function askOf(handler: HttpHandler, accept = 'application/graphql-response+json') {
  return async (query: string) => {
    const headers = { 'content-type': 'application/json', accept, authorization: 'Bearer x' }
    const body = JSON.stringify({ query })
    const response = await handler.fetch(new Request('https://example.com/graphql', { method: 'POST', headers, body }))
    const text = await response.text()
    const { errors = [], ...rest } = text.startsWith('{') ? JSON.parse(text) : { errors: [] }
    return {
      status: response.status,
      challenged: response.headers.get('www-authenticate'),
      hasData: 'data' in rest,
      data: rest.data,
      extensions: errors.map((error: { extensions: object }) => error.extensions),
    }
  }
}

const enrolled = { enrolledFactors: ['totp', 'recovery-code'], factors: [{ kind: 'password', at: now }] }
const made = { code: 'STEP_UP_REQUIRED', challenge: 'st_1', factors: ['totp', 'recovery-code'] }
const rfc9470 = 'Bearer realm="graphql", error="insufficient_user_authentication"'

describe('a step-up', () => {
  test('required by a rule of the schema has a challenge and the header of RFC 9470', async () => {
    const { ask, calls, identity } = open(enrolled)
    const { extensions, ...answer } = await ask('{ export }')
    expect(answer).toMatchObject({ status: 401, hasData: false, challenged: `${rfc9470}, max_age="300"` })
    expect(extensions).toEqual([{ ...made, maxAgeSeconds: 300 }])
    expect(calls).toEqual([
      [identity, { maxAgeSeconds: 300, factors: ['totp'], recoveryCode: false }, expect.objectContaining({})],
    ])
  })

  test('required by several rules shares a challenge, which a single proof answers', async () => {
    const { ask, calls } = open(enrolled)
    const { extensions } = await ask('{ a: replace export b: replace }')
    expect(extensions).toEqual(Array(3).fill({ ...made, maxAgeSeconds: 300 }))
    expect(calls.map(([, need]) => need)).toEqual([{ maxAgeSeconds: 300, factors: ['totp'], recoveryCode: false }])
  })

  test('accepting a recovery code tells the hook', async () => {
    const { ask, calls } = open(enrolled)
    await ask('{ replace }')
    expect(calls.map(([, need]) => need)).toEqual([
      { maxAgeSeconds: 600, factors: ['totp', 'recovery-code'], recoveryCode: true },
    ])
  })

  test('required by authorize in several resolvers shares a challenge', async () => {
    const { ask, calls } = open(enrolled)
    const { status, challenged, extensions } = await ask('{ within(maxAgeSeconds: 300) b: within(maxAgeSeconds: 30) }')
    expect([status, challenged]).toEqual([401, `${rfc9470}, max_age="30"`])
    expect(extensions).toEqual(Array(2).fill({ ...made, maxAgeSeconds: 30 }))
    expect(calls).toHaveLength(1)
  })

  test('required below a mutation keeps the effect and has a challenge', async () => {
    const { ask } = open(enrolled)
    const answer = await ask('mutation { note { id secret } }')
    expect(answer).toMatchObject({ status: 200, data: { note: { id: '1', secret: null } } })
    expect(answer.extensions).toEqual([{ ...made, maxAgeSeconds: 300 }])
    expect(ran).toEqual(['note'])
  })

  test('by an error of the application is answered as that says', async () => {
    const { ask, calls } = open(enrolled)
    const { extensions } = await ask('{ own }')
    expect(extensions).toEqual([{ ...made, challenge: 'mine', factors: ['totp'], maxAgeSeconds: 5 }])
    expect(calls).toEqual([])
  })

  test.each(['exports', 'inSource'])('required by the subscription %s has a challenge', async (field) => {
    const { subscribe, calls } = open(enrolled)
    const { status, extensions } = await subscribe(`subscription { ${field} }`)
    expect([status, extensions]).toEqual([401, [{ ...made, maxAgeSeconds: 300 }]])
    expect(calls).toHaveLength(1)
  })

  const code = 'insufficient_user_authentication'

  test.each([
    ['only the first factor can be shown again', {}, '{ export }', ['password']],
    ['there is no factor that would do', {}, '{ publish }', []],
    [
      'a recovery code is all that is left',
      { factors: [], enrolledFactors: ['recovery-code'] },
      '{ replace }',
      ['password'],
    ],
  ])('makes no challenge where %s', async (_what, who, query, factors) => {
    const { ask, calls } = open(who)
    const { status, extensions } = await ask(query)
    expect([status, extensions]).toEqual([401, [expect.objectContaining({ challenge: code, factors })]])
    expect(calls).toEqual([])
  })

  test.each([
    ['whose last factor has just been removed', ['password']],
    ['whose only factor cannot be shown now', []],
  ])('has no challenge for an account %s', async (_whose, factors) => {
    const { ask } = open(enrolled, async () => ({ challenge: null, factors }))
    expect(await ask('{ export }')).toMatchObject({
      status: 401,
      extensions: [{ challenge: code, factors, maxAgeSeconds: 300 }],
    })
    expect(await ask('{ publish }')).toMatchObject({ status: 401, extensions: [{ challenge: code, factors: [] }] })
  })

  test('without a hook has the error code of RFC 9470', async () => {
    const { ask } = open(enrolled, null)
    expect((await ask('{ export }')).extensions).toEqual([
      { code: 'STEP_UP_REQUIRED', challenge: code, factors: ['totp'], maxAgeSeconds: 300 },
    ])
  })
})

test.each(['{ export }', '{ within(maxAgeSeconds: 300) }', 'mutation { note { id secret } }'])(
  'while its store fails, %s is answered 503, neither allowed nor a sign-out',
  async (query) => {
    const { ask } = open(enrolled, async () => {
      throw new StoreError('STORE_UNAVAILABLE', 'secret host is down')
    })
    const answer = await ask(query)
    expect(answer).toMatchObject({ status: 503, hasData: false, challenged: null })
    expect(answer.extensions).toEqual([expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' })])
    expect(JSON.stringify(answer)).not.toContain('secret host')
  },
)

test('the hook of step-ups must be a function', () => {
  const options = { access, identify: { read: async () => ({ credential: null, identity: null }) }, stepUp: 'totp' }
  expect(() => createGraphqlHandler(options as never)).toThrow(new TypeError('"stepUp" must be a function or omitted'))
  expect(() => createSubscriptions(options as never)).toThrow(new TypeError('"stepUp" must be a function or omitted'))
})
