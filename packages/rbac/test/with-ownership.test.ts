import { definePolicy, type Ownerships } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'

interface Owned {
  readonly by: string
}

const policy = definePolicy({
  permissions: ['articles:update', 'accounts:read', 'ownership:bypass'],
  roles: { AUTHOR: { permissions: ['articles:update', 'accounts:read'] } },
  ownership: { articles: { ownerOf: (article: Owned) => article.by } },
})
const author = policy.identify({ subject: 'acc_1', roles: ['AUTHOR'] })

describe('a policy with further ownership', () => {
  const extended = policy.withOwnership({ accounts: { ownerOf: (account: { id: string }) => account.id } })

  test('accepts the identities of the original policy, and the original policy accepts its identities', () => {
    expect(extended.can(author, 'accounts:read', { id: 'acc_1' })).toBe(true)
    expect(extended.can(author, 'accounts:read', { id: 'acc_2' })).toBe(false)
    expect(policy.can(extended.identify({ subject: 'acc_1', roles: ['AUTHOR'] }), 'articles:update')).toBe(true)
  })

  test('keeps its own ownership if the addition differs', () => {
    const overruled = policy.withOwnership({ articles: { ownerOf: () => 'acc_2' } })
    expect(overruled.can(author, 'articles:update', { by: 'acc_1' })).toBe(true)
    expect(() => policy.rule({ owner: { of: 'accounts' as never } })).toThrow(TypeError)
    expect(extended.rule({ owner: { of: 'accounts' } }).owner?.of).toBe('accounts')
  })

  test.each([
    ['nothing', { accounts: {} }],
    ['a text', { accounts: 'id' }],
    ['a function of another name', { accounts: { owner: () => 'acc_1' } }],
  ])('refuses %s in the place of an ownership', (_what, ownership) => {
    expect(() => policy.withOwnership(ownership as unknown as Ownerships)).toThrow(TypeError)
  })
})
