import { definePolicy } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'

const permissions = ['articles:read', 'articles:update', 'articles:publish'] as const
const policy = definePolicy({
  permissions,
  roles: { AUTHOR: { permissions: ['articles:read', 'articles:update'] } },
  scopes: { writing: ['articles:read', 'articles:update'], desk: ['articles:publish'] },
})

describe('a group of permissions', () => {
  test('opens its permissions to a grant that names it, within the roles of the account', () => {
    const identity = policy.identify({ subject: 'acc_1', roles: ['AUTHOR'], scopes: ['openid', 'writing', 'desk'] })
    expect(permissions.map((name) => policy.can(identity, name))).toEqual([true, true, false])
    expect(policy.explain(identity, 'articles:publish').reason).toBe('no-permission')
    expect(identity?.scopes).toEqual([
      'openid',
      'writing',
      'articles:read',
      'articles:update',
      'desk',
      'articles:publish',
    ])
  })

  test('opens them to a machine', () => {
    const machine = policy.identify({ subject: 'nightly', roles: [], kind: 'client', scopes: ['desk'] })
    expect(permissions.map((name) => policy.can(machine, name))).toEqual([false, false, true])
  })

  test('gives no permission to a grant with another or a similar name', () => {
    for (const scope of ['writings', 'Writing', 'desk ', 'constructor', '__proto__', 'toString']) {
      const identity = policy.identify({ subject: 'acc_1', roles: ['AUTHOR'], scopes: [scope] })
      expect(permissions.map((name) => policy.can(identity, name))).toEqual([false, false, false])
    }
  })

  test('is not part of the scopes of an account without a grant', () => {
    const identity = policy.identify({ subject: 'acc_1', roles: ['AUTHOR'] })
    expect([identity?.scopes, policy.can(identity, 'articles:publish')]).toEqual([null, false])
  })

  test('is listed by the policy, also by one with more ownership', () => {
    expect(policy.scopes).toEqual(['writing', 'desk'])
    expect(policy.withOwnership({}).scopes).toEqual(['writing', 'desk'])
    expect(definePolicy({ permissions, roles: {} }).scopes).toEqual([])
  })

  test.each<[Record<string, readonly string[]>, string]>([
    [{ reading: ['articles:reed'] }, '"scopes": reading has the unknown permission "articles:reed"'],
    [{ reading: ['articles:*'] }, '"scopes": reading has the unknown permission "articles:*"'],
    [{ reading: [] }, '"scopes": reading must be a list of permissions'],
    [{ reading: 'articles:read' as never }, '"scopes": reading must be a list of permissions'],
    [{ 'articles:read': ['articles:update'] }, 'cannot be a scope, or is the name of a permission'],
    [{ 'two words': ['articles:read'] }, 'cannot be a scope'],
    [{ '': ['articles:read'] }, 'cannot be a scope'],
    [{ openid: ['articles:read'] }, '"scopes": "openid" has a meaning of its own'],
    [{ email: ['articles:read'] }, '"scopes": "email" has a meaning of its own'],
    [{ offline_access: ['articles:read'] }, '"scopes": "offline_access" has a meaning of its own'],
  ])('is refused as %o', (scopes, message) => {
    expect(() => definePolicy({ permissions, roles: {}, scopes: scopes as never })).toThrow(message)
  })

  test('has the permissions of the policy by type', () => {
    // @ts-expect-error a misspelt permission
    expect(() => definePolicy({ permissions, roles: {}, scopes: { reading: ['articles:reed'] } })).toThrow(TypeError)
  })
})
