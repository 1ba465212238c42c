import { AccessError, type AuthContext, compileAccess } from '@latchkey/graphql'
import { createResponseHeaders } from '@latchkey/http/internal'
import type { Identity } from '@latchkey/rbac'
import { execute } from 'graphql'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  admin,
  ask,
  asked,
  author,
  editor,
  identityOf,
  machine,
  now,
  policy,
  reader,
  schemaOf,
  type TestPolicy,
} from '../support/access-fixture.ts'

type Context = AuthContext<TestPolicy>
let inResolver: (context: Context) => unknown = () => null
const access = compileAccess({
  policy,
  now: () => now,
  schema: schemaOf('type Query { run: String @public, again: String @public }', {
    Query: {
      run: async (_source, _args, context: Context) => {
        const result = await inResolver(context)
        return result === undefined ? null : JSON.stringify(result)
      },
      again: async (_source, _args, context: Context) => JSON.stringify(await inResolver(context)),
    },
  }),
})
/** The result of a resolver, or its error. */
async function within(identity: Identity | null, work: (context: Context) => unknown, query = '{ run }') {
  inResolver = work
  const { result, prepared } = await ask(access, query, identity)
  if (!prepared.ok) throw new Error('refused')
  const [error] = result?.errors ?? []
  if (error) return error.originalError ?? error
  const run = result?.data?.run
  return typeof run === 'string' ? JSON.parse(run) : undefined
}

beforeEach(() => {
  asked.length = 0
})

describe('authorize', () => {
  const code = async (identity: Identity | null, ...given: Parameters<Context['authorize']>) => {
    const answer = await within(identity, ({ authorize }) => authorize(...given).subject)
    return answer instanceof AccessError ? answer.code : answer
  }

  test('returns the identity that satisfies the rule', async () => {
    expect(await code(reader, 'authenticated')).toBe('reader')
    expect(await code(editor, { permissions: 'articles:publish' })).toBe('editor')
    expect(await code(machine, { client: true })).toBe('machine')
  })

  test('refuses as the schema would', async () => {
    expect(await code(null, 'authenticated')).toBe('UNAUTHENTICATED')
    expect(await code(null, { permissions: 'articles:publish' })).toBe('UNAUTHENTICATED')
    expect(await code(author, { permissions: 'articles:publish' })).toBe('FORBIDDEN')
    expect(await code(machine, 'authenticated')).toBe('FORBIDDEN')
    expect(await code(editor, { permissions: 'articles:publish', stepUp: { maxAgeSeconds: 300 } })).toBe(
      'STEP_UP_REQUIRED',
    )
    const stepped = identityOf('editor', 'EDITOR', { factors: [{ kind: 'totp', at: now }] })
    expect(await code(stepped, { permissions: 'articles:publish', stepUp: { maxAgeSeconds: 300 } })).toBe('editor')
  })

  test('checks the owner of a loaded resource; a missing one is refused like a foreign one', async () => {
    const rule = { permissions: 'articles:update', owner: { of: 'articles', unless: 'articles:publish' } } as const
    expect(await code(author, rule, { owner: 'author' })).toBe('author')
    expect(await code(author, rule, { owner: 'other' })).toBe('FORBIDDEN')
    expect(await code(author, rule, null)).toBe('FORBIDDEN')
    expect(await code(author, rule)).toBe('FORBIDDEN')
    expect(await code(editor, rule, null)).toBe('editor')
    expect(await code(reader, rule, { owner: 'reader' })).toBe('FORBIDDEN')
  })

  test.each([
    ['an unknown permission', { permissions: 'articles:raed' }],
    ['an argument, which it cannot know', { owner: { of: 'articles', argument: 'id' } }],
    ['nothing', {}],
  ])('takes %s for the developer’s mistake', async (_what, rule) => {
    expect(await within(reader, ({ authorize }) => authorize(rule as never))).toBeInstanceOf(TypeError)
  })

  test('refuses a request without an identity, even for "public"', async () => {
    expect(await code(null, 'public' as never)).toBe('UNAUTHENTICATED')
  })
})

describe('can and explain', () => {
  test('answer as the policy does, for the identity of the request', async () => {
    const own = { owner: 'author' }
    const foreign = { owner: 'other' }
    const answers = (identity: Identity | null) =>
      within(identity, ({ can }) => [
        can('articles:update'),
        can('articles:update', own),
        can('articles:update', foreign),
        can('articles:update', null),
        can('articles:update', undefined),
        can('articles:update', foreign, { unless: 'articles:publish' }),
      ])
    expect(await answers(null)).toEqual([false, false, false, false, false, false])
    expect(await answers(reader)).toEqual([false, false, false, false, false, false])
    expect(await answers(author)).toEqual([true, true, false, false, false, false])
    expect(await answers(editor)).toEqual([true, false, false, false, false, true])
    expect(await answers(admin)).toEqual([true, true, true, true, true, true])
    expect(await within(author, ({ explain }) => explain('articles:update', foreign))).toEqual({
      allowed: false,
      reason: 'not-owner',
      missing: ['ownership:bypass'],
      by: null,
      through: [['AUTHOR']],
    })
  })
})

describe('canEach', () => {
  const ids = ['7', '1', '404', '2']
  test.each([
    ['no identity', null, []],
    ['who lacks the permission', reader, []],
    ['the owner of some', author, ['1', '2']],
    ['who may all', admin, ids],
    [
      'a client, which owns nothing',
      policy.identify({ subject: 'author', kind: 'client', roles: [], scopes: ['articles:update'] }),
      [],
    ],
  ])('returns the ids that are allowed: %s', async (_what, identity, expected) => {
    expect(await within(identity, ({ canEach }) => canEach('articles:update', ids))).toEqual(expected)
  })

  test('takes the place of ownership with "unless"', async () => {
    expect(await within(editor, ({ canEach }) => canEach('articles:update', ids))).toEqual([])
    expect(
      await within(editor, ({ canEach }) => canEach('articles:update', ids, { unless: 'articles:publish' })),
    ).toEqual(ids)
  })

  test('asks once for all who ask in one request', async () => {
    await within(author, ({ canEach }) => canEach('articles:update', ids), '{ run again }')
    await within(author, async ({ canEach }) => [
      await canEach('articles:update', ['1', '404']),
      await canEach('articles:update', ['1', '404']),
    ])
    expect(asked.map((call) => call.ids)).toEqual([ids, ['1', '404']])
  })

  test('passes an outage on', async () => {
    expect(await within(author, ({ canEach }) => canEach('articles:update', ['outage']))).toMatchObject({
      message: 'connection refused',
    })
  })
})

test('filter returns the rule as a condition', async () => {
  const unless = { unless: 'articles:publish' } as const
  const filterOf = (identity: Identity | null) => within(identity, ({ filter }) => filter('articles:update', unless))
  expect(await filterOf(author)).toEqual({ scope: 'owned', subject: 'author', where: { owner: 'author' } })
  expect(await filterOf(editor)).toEqual({ scope: 'all' })
  expect(await filterOf(null)).toEqual({ scope: 'none' })
})

describe('the context', () => {
  const prepare = async (input: object, identity: Identity | null = author) => {
    const verdict = await access.prepare({ query: '{ run }' }, { identity, ...input })
    if (!verdict.ok) throw new Error('refused')
    return verdict.args
  }

  test('has the identity of the request', async () => {
    expect(await within(author, ({ identity }) => identity?.subject)).toBe('author')
    expect(await within(null, ({ identity }) => identity)).toBeNull()
  })

  test('carries what the application adds, and stays the one that executes', async () => {
    inResolver = (context) => [context.identity?.subject, (context as unknown as { loader: string }).loader]
    const extend = (base: Context) => ({ ...base, loader: `of ${base.identity?.subject}` })
    expect(await execute(await prepare({ extend }))).toEqual({ data: { run: '["author","of author"]' } })
  })

  test.each(['identity', 'authorize', 'can', 'establish'])(
    'does not let the application replace "%s"',
    async (name) => {
      await expect(prepare({ extend: () => ({ [name]: () => admin }) })).rejects.toThrow(TypeError)
    },
  )

  test('lets the application widen the response', async () => {
    const response = { deliver: () => 'sent' }
    inResolver = (context) => (context.response as unknown as typeof response).deliver()
    expect(await execute(await prepare({ extend: () => ({ response }) }))).toEqual({ data: { run: '"sent"' } })
  })

  test('queues headers if a handler sends them, and throws without a handler', async () => {
    const response = createResponseHeaders()
    inResolver = (context) => context.response.setHeader('x-note', 'yes')
    expect((await execute(await prepare({ response }))).errors).toBeUndefined()
    expect(response.headers()).toEqual([['x-note', 'yes']])
    expect((await execute(await prepare({}))).errors?.[0]?.originalError).toBeInstanceOf(TypeError)
  })
})
