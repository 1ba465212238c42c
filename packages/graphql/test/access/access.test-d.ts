import {
  type Access,
  type AuthContext,
  compileAccess,
  createGraphqlHandler,
  type Resolvers,
  type RuleMap,
} from '@latchkey/graphql'
import { createIdentityReader } from '@latchkey/http'
import { definePolicy, type Filter, type Identity } from '@latchkey/rbac'
import type { GraphQLSchema } from 'graphql'
import { createHandler } from 'graphql-http/lib/use/fetch'
import { expectTypeOf, test } from 'vitest'

interface Article {
  readonly id: string
  readonly authorId: string
}
interface Comment {
  readonly writer: string
}

const policy = definePolicy({
  permissions: ['articles:update', 'articles:publish', 'comments:delete'],
  roles: { AUTHOR: { permissions: ['articles:update'] } },
  ownership: {
    articles: {
      ownerOf: (article: Article) => article.authorId,
      ownersById: async () => new Map<string, string>(),
      ownedBy: (subject) => ({ authorId: subject }),
    },
  },
})
type Context = AuthContext<typeof policy>
declare const schema: GraphQLSchema
declare const article: Article
declare const comment: Comment

test('rules know the names of the policy', () => {
  expectTypeOf(compileAccess({ schema, policy })).toEqualTypeOf<Access<typeof policy>>()
  compileAccess({ schema, policy, rules: { 'Query.a': { permissions: 'articles:update', owner: { argument: 'id' } } } })
  // @ts-expect-error there is no such permission
  compileAccess({ schema, policy, rules: { 'Query.a': { permissions: 'articles:raed' } } })
  // @ts-expect-error there is no such resource
  compileAccess({ schema, policy, introspection: { owner: { of: 'articels' } } })
  expectTypeOf<{ 'Query.a': 'public' }>().toExtend<RuleMap<typeof policy>>()
})

test('the context of resolvers is typed without an annotation', () => {
  const resolvers = {
    Query: {
      viewer: (_source, _args, { authorize }) => authorize('authenticated').subject,
      drafts: (_source, _args, { filter }) => filter('articles:update', { unless: 'articles:publish' }),
    },
    Article: { editable: (owned: Article, _args, { can }) => can('articles:update', owned) },
    Mutation: {
      async remove(_source, { ids }: { ids: string[] }, { authorize, canEach }) {
        if (ids.length > 10) authorize({ permissions: 'articles:publish', stepUp: { maxAgeSeconds: 300 } })
        return canEach('articles:update', ids)
      },
    },
    Subscription: { added: { subscribe: (_source, _args, { identity }) => identity } },
  } satisfies Resolvers<Context>
  resolvers.Query.viewer satisfies (...given: never[]) => string
  resolvers.Query.drafts satisfies (...given: never[]) => Filter<{ authorId: string }>
  resolvers.Mutation.remove satisfies (...given: never[]) => Promise<string[]>
})

test('the context knows the policy', () => {
  const wrong = {
    Article: {
      // @ts-expect-error a comment is no article
      editable: (_owned: Article, _args, { can }) => can('articles:update', comment),
      // @ts-expect-error there is no such permission
      named: (_owned: Article, _args, { can }) => can('articles:raed', article),
      // @ts-expect-error no identity is authorized by "public"
      open: (_owned: Article, _args, { authorize }) => authorize('public'),
    },
  } satisfies Resolvers<Context>
  expectTypeOf(wrong).toBeObject()
  expectTypeOf<Context['identity']>().toEqualTypeOf<Identity | null>()
})

test('the result of prepare has the types that graphql-http expects', () => {
  const access = compileAccess({ schema, policy })
  createHandler({
    async onSubscribe(_request, params) {
      const verdict = await access.prepare(params, { identity: null })
      return verdict.ok ? verdict.args : verdict.response
    },
  })
  createGraphqlHandler({
    access,
    identify: createIdentityReader({ bearer: { verify: async (): Promise<Identity | null> => null } }),
    context: (base) => ({ own: base.can('articles:update') }),
  })
})
