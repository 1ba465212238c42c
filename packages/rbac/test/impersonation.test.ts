import { definePolicy } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'

const policy = definePolicy({
  permissions: ['articles:read', 'articles:update'],
  roles: { READER: { permissions: ['articles:read'] } },
  ownership: { articles: { ownerOf: (article: { readonly authorId: string }) => article.authorId } },
})

describe('an identity of an administrator who acts as the account', () => {
  test('has the permissions and the resources of the account, and names both', () => {
    const identity = policy.identify({ subject: 'acc_1', roles: ['READER'], impersonator: 'acc_admin' })
    expect(identity).toMatchObject({ subject: 'acc_1', impersonator: 'acc_admin', firstParty: true })
    expect(policy.can(identity, 'articles:read', { authorId: 'acc_1' })).toBe(true)
    expect(policy.can(identity, 'articles:read', { authorId: 'acc_admin' })).toBe(false)
    expect(policy.can(identity, 'articles:update')).toBe(false)
  })

  test.each([{}, { impersonator: null }])('has a null impersonator if the account itself acts: %j', (given) => {
    expect(policy.identify({ subject: 'acc_1', roles: [], ...given })).toMatchObject({ impersonator: null })
  })

  test.each([
    ['is empty', { impersonator: '' }],
    ['is no text', { impersonator: 7 }],
    ['is true', { impersonator: true }],
    ['is the account itself', { impersonator: 'acc_1' }],
    ['acts as a client', { impersonator: 'acc_admin', kind: 'client' }],
  ])('is refused if the administrator %s', (_what, given) => {
    expect(() => policy.identify({ subject: 'acc_1', roles: [], ...given } as never)).toThrow('"impersonator" must be')
  })
})

describe('a rule for them as well', () => {
  test('has its own text, and differs from the same rule without impersonation', () => {
    expect(policy.rule({ firstParty: true, impersonation: true })).toMatchObject({
      impersonation: true,
      text: 'first party; also impersonated',
    })
    expect(policy.rule({ firstParty: true })).toMatchObject({ impersonation: false, text: 'first party' })
  })

  test.each([
    [{ public: true }, 'beside public'],
    [{ client: true }, 'beside client'],
    [{ stepUp: { maxAgeSeconds: 60 } }, 'beside stepUp'],
    [{ authenticated: true, credential: true }, 'beside credential'],
    [{}, 'the rule asks for nothing'],
    [{ firstParty: true, impersonation: false }, '"impersonation" is true or left out'],
  ] as const)('is refused if impersonation could not satisfy it: %j', (rule, message) => {
    expect(() => policy.rule({ impersonation: true, ...rule } as never)).toThrow(message)
  })
})
