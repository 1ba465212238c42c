import { definePolicy, type Identity } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'

const definition = {
  permissions: ['articles:read', 'articles:update'],
  roles: { AUTHOR: { permissions: ['articles:read', 'articles:update'] }, READER: { permissions: ['articles:read'] } },
} as const
const policy = definePolicy(definition)
const author = policy.identify({ subject: 'acc_1', roles: ['AUTHOR'] })

describe('an identity', () => {
  test('is null for null', () => {
    expect(policy.identify(null)).toBeNull()
    expect(policy.identify(undefined)).toBeNull()
    expect(policy.can(null, 'articles:read')).toBe(false)
    expect(policy.explain(null, 'articles:read').reason).toBe('no-identity')
  })

  test('holds what was verified, and cannot be changed', () => {
    const factors = [{ kind: 'password', at: 5 }]
    const roles = ['READER']
    const identity = policy.identify({ subject: 'acc_1', roles, factors, key: 'se_x', via: 'cookie' })
    roles.push('AUTHOR')
    factors.push({ kind: 'totp', at: 6 })
    expect(identity).toMatchObject({
      subject: 'acc_1',
      kind: 'account',
      roles: ['READER'],
      scopes: null,
      firstParty: true,
      factors: [{ kind: 'password', at: 5 }],
      enrolledFactors: [],
      key: 'se_x',
      via: 'cookie',
      epoch: null,
    })
    expect(() => Object.assign(identity as object, { subject: 'acc_2' })).toThrow(TypeError)
    expect(policy.can(identity, 'articles:update')).toBe(false)
  })

  test.each<[string, (identity: Identity) => unknown]>([
    ['a copy', (identity) => ({ ...identity })],
    ['a heir', (identity) => Object.create(identity)],
    [
      'a clone with its prototype',
      (identity) => Object.assign(Object.create(Object.getPrototypeOf(identity)), identity),
    ],
    ['a proxy', (identity) => new Proxy(identity, {})],
    ['something read back from JSON', (identity) => JSON.parse(JSON.stringify(identity))],
    ['a literal', () => ({ subject: 'acc_1', roles: ['AUTHOR'], kind: 'account' })],
    [
      'the identity of another policy',
      () => definePolicy(definition).identify({ subject: 'acc_1', roles: ['AUTHOR'] }),
    ],
  ])('imitated by %s grants nothing', (_what, forge) => {
    const forged = forge(author as Identity) as Identity
    expect(policy.can(author, 'articles:read')).toBe(true)
    expect(policy.can(forged, 'articles:read')).toBe(false)
    expect(policy.holds(forged, policy.permissionSet(['articles:read']))).toBe(false)
    expect(policy.explain(forged, 'articles:read').allowed).toBe(false)
  })

  test.each([
    ['an empty subject', { subject: '', roles: [] }, '"subject"'],
    ['no subject', { roles: [] }, '"subject"'],
    ['roles in a text', { subject: 'a', roles: 'AUTHOR' }, '"roles"'],
    ['an unknown kind', { subject: 'a', roles: [], kind: 'root' }, '"kind"'],
    ['scopes in a text', { subject: 'a', roles: [], scopes: 'articles:read' }, '"scopes"'],
  ])('is not created from %s', (_what, input, message) => {
    expect(() => policy.identify(input as never)).toThrow(TypeError)
    expect(() => policy.identify(input as never)).toThrow(message)
  })
})

describe('a grant', () => {
  test('limits what the roles of an account allow, and never adds to it', () => {
    const bounded = policy.identify({
      subject: 'acc_1',
      roles: ['READER'],
      scopes: ['openid', 'articles:read', 'articles:update'],
    })
    expect(policy.can(bounded, 'articles:read')).toBe(true)
    expect(policy.can(bounded, 'articles:update')).toBe(false)
    expect(policy.can(policy.identify({ subject: 'acc_1', roles: ['AUTHOR'], scopes: [] }), 'articles:read')).toBe(
      false,
    )
  })

  test('makes an identity third-party by default', () => {
    expect(policy.identify({ subject: 'a', roles: [], scopes: ['openid'] })?.firstParty).toBe(false)
    expect(policy.identify({ subject: 'a', roles: [], kind: 'client' })?.firstParty).toBe(false)
    expect(policy.identify({ subject: 'a', roles: [], scopes: [], firstParty: true })?.firstParty).toBe(true)
  })

  test('gives a client its permissions, limited by the roles of the client if it has roles', () => {
    const scopes = ['articles:read', 'articles:update']
    const machine = policy.identify({ subject: 'demo', kind: 'client', roles: [], scopes })
    const bounded = policy.identify({ subject: 'demo', kind: 'client', roles: ['READER'], scopes })
    expect(policy.can(machine, 'articles:update')).toBe(true)
    expect(policy.can(bounded, 'articles:update')).toBe(false)
    expect(policy.can(policy.identify({ subject: 'demo', kind: 'client', roles: [] }), 'articles:read')).toBe(false)
  })
})
