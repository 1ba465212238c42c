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
  test('is checked in addition to the permission if a resource is given', () => {
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

  test('is refused for a missing resource', () => {
    expect(policy.can(as('AUTHOR'), 'articles:update', null)).toBe(false)
    expect(policy.can(as('AUTHOR'), 'articles:update', undefined)).toBe(false)
    expect(policy.can(as('ADMIN'), 'articles:update', undefined)).toBe(true)
    const ours = policyWith(() => 'acc_1')
    const author = ours.identify({ subject: 'acc_1', roles: ['AUTHOR'] })
    expect(ours.can(author, 'articles:update', own)).toBe(true)
    expect(ours.can(author, 'articles:update', null)).toBe(false)
    expect(ours.can(author, 'articles:update', undefined)).toBe(false)
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

  test('is refused for a resource without ownership', () => {
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
  const update = 'articles:update'
  const bypass = 'ownership:bypass'
  const unless = { unless: 'articles:publish' } as const
  const yes = { allowed: true, missing: [] }
  const no = { allowed: false, by: null }
  test.each([
    ['AUTHOR', [], { ...yes, reason: 'granted', by: update, through: [['AUTHOR']] }],
    ['EDITOR', [], { ...yes, reason: 'granted', by: update, through: [['EDITOR', 'AUTHOR']] }],
    ['AUTHOR', [own], { ...yes, reason: 'owner', by: update, through: [['AUTHOR']] }],
    ['ADMIN', [foreign], { ...yes, reason: 'replaced', by: bypass, through: [['ADMIN']] }],
    ['EDITOR', [foreign, unless], { ...yes, reason: 'replaced', by: 'articles:publish', through: [['EDITOR']] }],
    ['BYPASS', [own], { ...no, reason: 'no-permission', missing: [update], through: [] }],
    ['AUTHOR', [foreign], { ...no, reason: 'not-owner', missing: [bypass], through: [['AUTHOR']] }],
    [
      'AUTHOR',
      [foreign, unless],
      { ...no, reason: 'not-owner', missing: ['articles:publish', bypass], through: [['AUTHOR']] },
    ],
  ] as const)('returns the reason for %s with %j', (role, asked, decision) => {
    const [resource, options] = asked
    const answer =
      asked.length === 0
        ? policy.explain(as(role), 'articles:update')
        : policy.explain(as(role), 'articles:update', resource, options ?? {})
    expect(answer).toEqual(decision)
  })

  test('names every role that has the permission, once', () => {
    const several = policy.identify({ subject: 'acc_1', roles: ['AUTHOR', 'STRANGER', 'EDITOR', 'AUTHOR'] })
    expect(policy.explain(several, 'comments:delete').through).toEqual([['AUTHOR'], ['EDITOR', 'AUTHOR']])
  })

  test('distinguishes a grant that is too small from a role that is', () => {
    const granted = policy.identify({ subject: 'acc_1', roles: ['AUTHOR'], scopes: ['comments:delete', 'openid'] })
    expect(policy.explain(granted, 'articles:update')).toEqual({
      ...no,
      reason: 'out-of-scope',
      missing: ['articles:update'],
      through: [['AUTHOR']],
    })
    expect(policy.explain(granted, 'articles:publish').reason).toBe('no-permission')
    expect(policy.explain(granted, 'comments:delete').reason).toBe('granted')
  })

  test('finds that the grant alone allows a client', () => {
    const machine = policy.identify({ subject: 'cli_1', kind: 'client', roles: [], scopes: ['articles:update'] })
    const granted = { ...yes, reason: 'granted', by: 'articles:update', through: [] }
    expect(policy.explain(machine, 'articles:update')).toEqual(granted)
  })

  test.each([null, { ...as('ADMIN') }])('finds no identity in %j', (identity) => {
    const decision = policy.explain(identity as never, 'articles:update', own)
    expect(decision).toEqual({ ...no, reason: 'no-identity', missing: ['articles:update'], through: [] })
  })

  test('decides like "can"', () => {
    const asking = [[], [own], [foreign], [null], [foreign, unless], [own, unless]] as const
    for (const role of ['AUTHOR', 'EDITOR', 'ADMIN', 'BYPASS', 'STRANGER']) {
      for (const [resource, options] of asking.filter(({ length }) => length > 0)) {
        const allowed = policy.can(as(role), 'articles:update', resource, options ?? {})
        expect(policy.explain(as(role), 'articles:update', resource, options ?? {}).allowed).toBe(allowed)
      }
      expect(policy.explain(as(role), 'articles:update').allowed).toBe(policy.can(as(role), 'articles:update'))
    }
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

  test('for a resource without ownedBy is a TypeError', () => {
    expect(() => policy.filter(as('AUTHOR'), 'comments:delete')).toThrow(TypeError)
  })
})

describe('owners by id', () => {
  test('are returned by the policy, and are empty for any result but a map', async () => {
    expect(await policy.ownersById('articles', ['1'])).toEqual(new Map([['1', 'acc_1']]))
    expect(await policy.ownersById('comments', ['1'])).toEqual(new Map())
    const strange = definePolicy({
      permissions: [],
      roles: {},
      ownership: { articles: { ownersById: async () => ({ get: () => 'acc_1' }) as never } },
    })
    expect(await strange.ownersById('articles', ['1'])).toEqual(new Map())
  })

  test('reject with the error of the source, which is not a refusal', async () => {
    const outage = new Error('connection refused')
    const broken = definePolicy({
      permissions: [],
      roles: {},
      ownership: { articles: { ownersById: () => Promise.reject(outage) } },
    })
    await expect(broken.ownersById('articles', ['1'])).rejects.toBe(outage)
  })
})
