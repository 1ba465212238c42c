import { definePolicy, type IdentityInput } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'

const permissions = ['articles:read', 'articles:update', 'ownership:bypass'] as const
const policy = definePolicy({
  permissions: [...permissions],
  roles: { ADMIN: { permissions: [...permissions] } },
  ownership: {
    articles: { ownerOf: ({ owner }: { owner: string }) => owner, ownedBy: (subject: string) => ({ owner: subject }) },
  },
})
const dueAt = 1_700_000_000_000
const admin: IdentityInput = { subject: 'acc_1', roles: ['ADMIN'] }
const identify = (more: Partial<IdentityInput>) => policy.identify({ ...admin, ...more })

describe('the identity of an account that has to set up a second factor first', () => {
  const restricted = identify({ mustEnroll: true, enrollmentDueAt: dueAt })
  const own = { owner: 'acc_1' }

  test('says so, and holds no role', () => {
    expect(restricted).toMatchObject({ subject: 'acc_1', mustEnroll: true, enrollmentDueAt: dueAt, roles: [] })
  })

  test.each(permissions)('does not have %s, even for its own resources', (permission) => {
    expect(policy.can(restricted, permission)).toBe(false)
    expect(policy.holds(restricted, policy.permissionSet([permission]))).toBe(false)
    const refusal = { allowed: false, reason: 'must-enroll', missing: [], by: null, through: [] }
    expect(policy.explain(restricted, permission)).toEqual(refusal)
  })

  test('may neither change nor list what it owns', () => {
    expect(policy.can(restricted, 'articles:update', own)).toBe(false)
    expect(policy.explain(restricted, 'articles:update', own).reason).toBe('must-enroll')
    expect(policy.filter(restricted, 'articles:read')).toEqual({ scope: 'none' })
  })

  test('gets no permission by changed roles or by a grant', () => {
    policy.changeRoles({ GUEST: { permissions: ['articles:read'] } })
    expect(policy.can(restricted, 'articles:read')).toBe(false)
    policy.changeRoles({})
    expect(policy.can(identify({ mustEnroll: true, scopes: ['articles:read'] }), 'articles:read')).toBe(false)
  })
})

test('an account with time left until then, or without a deadline, has all permissions of its roles', () => {
  for (const more of [{ enrollmentDueAt: dueAt }, { enrollmentDueAt: null, mustEnroll: false }, {}]) {
    const identity = identify(more)
    expect(identity).toMatchObject({
      mustEnroll: false,
      enrollmentDueAt: more.enrollmentDueAt ?? null,
      roles: ['ADMIN'],
    })
    expect(policy.can(identity, 'articles:update')).toBe(true)
  }
})

test('a machine has no second factor to set up', () => {
  const machine = identify({ kind: 'client', roles: [], scopes: ['articles:read'], mustEnroll: true })
  expect(machine?.mustEnroll).toBe(false)
  expect(policy.can(machine, 'articles:read')).toBe(true)
})

test.each([['true'], [1], [null]])('%j is no answer to whether an account must', (mustEnroll) => {
  expect(() => identify({ mustEnroll: mustEnroll as never })).toThrow('"mustEnroll" must be true or false')
})

describe('a rule before enrolment', () => {
  test.each([
    [{ authenticated: true, beforeEnrollment: true }, 'authenticated; before enrollment'],
    [{ firstParty: true, beforeEnrollment: true }, 'first party; before enrollment'],
    [{ authenticated: true, credential: true, beforeEnrollment: true }, 'authenticated; before enrollment; credential'],
    [{ owner: { of: 'articles' }, beforeEnrollment: true }, 'owner of articles; before enrollment'],
  ] as const)('has its own words: %j', (rule, text) => {
    expect(policy.rule(rule)).toMatchObject({ beforeEnrollment: true, text })
  })

  test('differs from the same rule without it', () => {
    expect(policy.rule({ authenticated: true })).toMatchObject({ beforeEnrollment: false, text: 'authenticated' })
  })

  test.each([
    [{ public: true }, 'beside public'],
    [{ client: true }, 'beside client'],
    [{ permissions: 'articles:read' }, 'beside permissions'],
    [{}, 'the rule asks for nothing'],
    [{ authenticated: true, beforeEnrollment: false }, '"beforeEnrollment" is true or left out'],
  ] as const)('is refused if no identity could satisfy it: %j', (rule, message) => {
    expect(() => policy.rule({ beforeEnrollment: true, ...rule } as never)).toThrow(message)
  })
})
