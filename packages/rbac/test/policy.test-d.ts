import {
  type AnyPolicy,
  definePolicy,
  type Filter,
  type Identity,
  openRoles,
  type PermissionOf,
  type RoleOf,
  type RuleOf,
} from '@latchkey/rbac'
import { createMemoryDocumentStore } from '@latchkey/store'
import { expectTypeOf, test } from 'vitest'

interface Article {
  readonly id: string
  readonly authorId: string
}
interface Comment {
  readonly id: string
  readonly writer: string
}

const policy = definePolicy({
  permissions: ['articles:update', 'articles:publish', 'comments:delete', 'ownership:bypass'],
  roles: {
    AUTHOR: { permissions: ['articles:update'] },
    EDITOR: { inherits: ['AUTHOR'], permissions: ['articles:publish'] },
  },
  ownership: {
    articles: {
      ownerOf: (article: Article) => article.authorId,
      ownersById: async (ids) => new Map(ids.map((id) => [id.toUpperCase(), ''])),
      ownedBy: (subject) => ({ authorId: subject.trim() }),
    },
    comments: { ownerOf: (comment: Comment) => comment.writer },
  },
})
type P = typeof policy
declare const identity: Identity
declare const article: Article
declare const comment: Comment

test('names are unions of the literals', () => {
  expectTypeOf<PermissionOf<P>>().toEqualTypeOf<
    'articles:update' | 'articles:publish' | 'comments:delete' | 'ownership:bypass'
  >()
  expectTypeOf<RoleOf<P>>().toEqualTypeOf<'AUTHOR' | 'EDITOR'>()
  expectTypeOf<keyof P['ownership'] & string>().toEqualTypeOf<'articles' | 'comments'>()
})

test('a misspelt name does not compile', () => {
  policy.can(identity, 'articles:update')
  // @ts-expect-error there is no such permission
  policy.can(identity, 'articles:raed')
  definePolicy({
    permissions: ['a:b'],
    // @ts-expect-error there is no such permission
    roles: { A: { permissions: ['a:c'] } },
  })
  definePolicy({
    permissions: ['a:b'],
    // @ts-expect-error there is no such role
    roles: { A: { inherits: ['B'] } },
  })
  definePolicy({
    permissions: ['a:b', 'a:c', 'ownership:bypass'],
    roles: { A: { permissions: ['a:*', 'ownership:bypass'] } },
  })
  definePolicy({
    permissions: ['a:b'],
    // @ts-expect-error there is no such resource
    roles: { A: { permissions: ['b:*'] } },
  })
  definePolicy({
    permissions: ['ownership:bypass'],
    // @ts-expect-error what lifts every owner rule is given by its name
    roles: { A: { permissions: ['ownership:*'] } },
  })
  // @ts-expect-error a wildcard is no permission that could be asked for
  policy.can(identity, 'articles:*')
  // @ts-expect-error not of the form resource:action
  definePolicy({ permissions: ['ab'], roles: {} })
})

test('a resource has the type that belongs to the permission', () => {
  policy.can(identity, 'articles:update', article)
  policy.can(identity, 'articles:update', null, { unless: 'articles:publish' })
  policy.explain(identity, 'comments:delete', comment)
  // @ts-expect-error a comment is no article
  policy.can(identity, 'articles:update', comment)
  // @ts-expect-error there is no such permission
  policy.can(identity, 'articles:update', article, { unless: 'articles:raed' })
  // @ts-expect-error this permission has no resource that could be owned
  policy.can(identity, 'ownership:bypass', article)
})

test('a filter has the type of the condition', () => {
  expectTypeOf(policy.filter(identity, 'articles:update')).toEqualTypeOf<Filter<{ authorId: string }>>()
})

test('only the policy makes an identity', () => {
  // @ts-expect-error a literal is no identity
  policy.can({ subject: 'acc_1', kind: 'account', roles: [] }, 'articles:update')
  expectTypeOf(policy.identify(null)).toEqualTypeOf<Identity | null>()
})

test('a rule knows the names of its policy', () => {
  const rule = { permissions: 'articles:update', owner: { of: 'articles', argument: 'id' } } satisfies RuleOf<P>
  expectTypeOf(rule.owner.of).toEqualTypeOf<'articles'>()
  'public' satisfies RuleOf<P>
  const sets = { permissions: [['articles:update', 'articles:publish'], ['comments:delete']] } satisfies RuleOf<P>
  expectTypeOf(policy.rule).toBeCallableWith(sets)
  // @ts-expect-error there is no such permission
  ;({ permissions: 'articles:raed' }) satisfies RuleOf<P>
  // @ts-expect-error there is no such resource
  ;({ owner: { of: 'articels' } }) satisfies RuleOf<P>
  // @ts-expect-error a flat list could mean any or all
  ;({ permissions: ['articles:update', 'articles:publish'] }) satisfies RuleOf<P>
})

test('any policy can be handed to code that takes one', () => {
  expectTypeOf(policy).toExtend<AnyPolicy>()
  expectTypeOf(definePolicy({ permissions: ['a:b'], roles: {} })).toExtend<AnyPolicy>()
})

test('roles at run time know the permissions, and have names of their own', async () => {
  policy.changeRoles({ MODERATOR: { inherits: ['AUTHOR', 'OTHER'], permissions: ['comments:delete'] }, OTHER: {} })
  // @ts-expect-error there is no such permission
  policy.changeRoles({ MODERATOR: { permissions: ['comments:delet'] } })
  const roles = await openRoles({ policy, documents: createMemoryDocumentStore(), onRefused: () => {} })
  await roles.set('MODERATOR', { permissions: ['articles:publish'] })
  // @ts-expect-error there is no such permission
  await roles.set('MODERATOR', { permissions: ['articles:publsh'] })
  // @ts-expect-error refusals must go somewhere
  await openRoles({ policy, documents: createMemoryDocumentStore() })
  expectTypeOf(await roles.identify(null)).toEqualTypeOf<Identity | null>()
  // Unions of the code stay as they are.
  expectTypeOf<RoleOf<P>>().toEqualTypeOf<'AUTHOR' | 'EDITOR'>()
})
