import { definePolicy } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'

interface Article {
  readonly authorId: string
}

function policyWith(ownerOf: (article: Article) => string | null | undefined) {
  return definePolicy({
    permissions: ['articles:update', 'articles:publish', 'ownership:bypass', 'comments:delete'],
    roles: {
      AUTHOR: { permissions: ['articles:update', 'comments:delete'] },
      EDITOR: { inherits: ['AUTHOR'], permissions: ['articles:publish'] },
      ADMIN: { inherits: ['AUTHOR'], permissions: ['ownership:bypass'] },
      BYPASS: { permissions: ['ownership:bypass'] },
    },
    ownership: {
      articles: {
        ownerOf,
        ownersById: async (ids) => new Map(ids.map((id) => [id, 'acc_1'])),
        ownedBy: (subject) => ({ authorId: subject }),
      },
    },
  })
}
const policy = policyWith((article) => article.authorId)
const as = (role: string, subject = 'acc_1') => policy.identify({ subject, roles: [role] })
const own = { authorId: 'acc_1' }
const foreign = { authorId: 'acc_2' }

describe('ownership', () => {
  test('is asked beside the permission when a resource is given', () => {
    expect(policy.can(as('AUTHOR'), 'articles:update', own)).toBe(true)
    expect(policy.can(as('AUTHOR'), 'articles:update', foreign)).toBe(false)
    expect(policy.can(as('AUTHOR'), 'articles:update')).toBe(true)
    expect(policy.can(as('BYPASS'), 'articles:update', own)).toBe(false)
  })

  test('is replaced by the permission that "unless" names, and by ownership:bypass', () => {
    const unless = { unless: 'articles:publish' } as const
    expect(policy.can(as('EDITOR'), 'articles:update', foreign)).toBe(false)
    expect(policy.can(as('EDITOR'), 'articles:update', foreign, unless)).toBe(true)
    expect(policy.can(as('AUTHOR'), 'articles:update', foreign, unless)).toBe(false)
    expect(policy.can(as('ADMIN'), 'articles:update', foreign)).toBe(true)
  })

  test('of a missing resource is like somebody else’s', () => {
    expect(policy.can(as('AUTHOR'), 'articles:update', null)).toBe(false)
    expect(policy.can(as('AUTHOR'), 'articles:update', undefined)).toBe(false)
    expect(policy.can(as('ADMIN'), 'articles:update', undefined)).toBe(true)
  })

  test('is never a client’s, even if the ids are the same', () => {
    const machine = policy.identify({
      subject: 'acc_1',
      kind: 'client',
      roles: ['AUTHOR'],
      scopes: ['articles:update'],
    })
    expect(policy.can(machine, 'articles:update')).toBe(true)
    expect(policy.can(machine, 'articles:update', own)).toBe(false)
    expect(policy.filter(machine, 'articles:update')).toEqual({ scope: 'none' })
  })

  test('of a resource without ownership is nobody’s', () => {
    expect(policy.can(as('AUTHOR'), 'comments:delete', own as never)).toBe(false)
  })

  test.each<[string, (article: Article) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('boom')
      },
    ],
    ['answers a promise', async () => 'acc_1'],
    ['answers a promise that fails', () => Promise.reject(new Error('boom'))],
    ['answers nothing', () => undefined],
    ['answers null', () => null],
    ['answers true', () => true],
    ['answers an object that reads like the subject', () => ({ toString: () => 'acc_1' })],
    ['answers a list', () => ['acc_1']],
  ])('found by a function that %s is refused', (_what, ownerOf) => {
    const strange = policyWith(ownerOf as never)
    const identity = strange.identify({ subject: 'acc_1', roles: ['AUTHOR'] })
    expect(strange.can(identity, 'articles:update', own)).toBe(false)
    expect(strange.explain(identity, 'articles:update', own).reason).toBe('not-owner')
    expect(strange.ownerOf('articles', own)).toBeNull()
  })
})

describe('explain', () => {
  test.each([
    ['AUTHOR', [], { allowed: true, reason: 'granted', missing: [] }],
    ['AUTHOR', [own], { allowed: true, reason: 'owner', missing: [] }],
    ['ADMIN', [foreign], { allowed: true, reason: 'replaced', missing: [] }],
    ['EDITOR', [foreign, { unless: 'articles:publish' }], { allowed: true, reason: 'replaced', missing: [] }],
    ['BYPASS', [own], { allowed: false, reason: 'no-permission', missing: ['articles:update'] }],
    ['AUTHOR', [foreign], { allowed: false, reason: 'not-owner', missing: ['ownership:bypass'] }],
    [
      'AUTHOR',
      [foreign, { unless: 'articles:publish' }],
      { allowed: false, reason: 'not-owner', missing: ['articles:publish', 'ownership:bypass'] },
    ],
  ] as const)('tells %s with %j why', (role, asked, decision) => {
    const [resource, options] = asked
    const answer =
      asked.length === 0
        ? policy.explain(as(role), 'articles:update')
        : policy.explain(as(role), 'articles:update', resource, options ?? {})
    expect(answer).toEqual(decision)
  })
})

describe('a filter', () => {
  test('is the same rule as a condition for lists', () => {
    const unless = { unless: 'articles:publish' } as const
    expect(policy.filter(as('AUTHOR'), 'articles:update', unless)).toEqual({
      scope: 'owned',
      subject: 'acc_1',
      where: { authorId: 'acc_1' },
    })
    expect(policy.filter(as('EDITOR'), 'articles:update', unless)).toEqual({ scope: 'all' })
    expect(policy.filter(as('ADMIN'), 'articles:update')).toEqual({ scope: 'all' })
    expect(policy.filter(as('BYPASS'), 'articles:update')).toEqual({ scope: 'none' })
    expect(policy.filter(null, 'articles:update')).toEqual({ scope: 'none' })
  })

  test('of a resource without ownedBy is the developer’s mistake', () => {
    expect(() => policy.filter(as('AUTHOR'), 'comments:delete')).toThrow(TypeError)
  })
})

describe('owners by id', () => {
  test('come from the policy, and what is no map owns nothing', async () => {
    expect(await policy.ownersById('articles', ['1'])).toEqual(new Map([['1', 'acc_1']]))
    expect(await policy.ownersById('comments', ['1'])).toEqual(new Map())
    const strange = definePolicy({
      permissions: [],
      roles: {},
      ownership: { articles: { ownersById: async () => ({ get: () => 'acc_1' }) as never } },
    })
    expect(await strange.ownersById('articles', ['1'])).toEqual(new Map())
  })

  test('that could not be asked for are an exception, not a no', async () => {
    const outage = new Error('connection refused')
    const broken = definePolicy({
      permissions: [],
      roles: {},
      ownership: { articles: { ownersById: () => Promise.reject(outage) } },
    })
    await expect(broken.ownersById('articles', ['1'])).rejects.toBe(outage)
  })
})
