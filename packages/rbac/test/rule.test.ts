import { definePolicy } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'

const ownership = {
  ownerOf: (thing: { owner: string }) => thing.owner,
  ownersById: async () => new Map<string, string>(),
}
const policy = definePolicy({
  permissions: ['articles:update', 'articles:publish', 'comments:delete', 'ownership:bypass'],
  roles: {},
  ownership: { articles: ownership, comments: ownership, accounts: { ownerOf: ownership.ownerOf } },
})

describe('a rule', () => {
  test.each([
    ['public', 'public'],
    [{ public: true, credential: true }, 'public; credential'],
    ['authenticated', 'authenticated'],
    [{ authenticated: true, firstParty: true }, 'authenticated; first party'],
    [{ client: true }, 'client'],
    [{ permissions: 'articles:update' }, 'articles:update'],
    [{ permissions: ['articles:update'] }, 'articles:update'],
    [{ permissions: [['articles:update', 'articles:publish']] }, 'articles:publish and articles:update'],
    [{ permissions: [['articles:update'], ['articles:publish']] }, 'articles:publish, or articles:update'],
    [{ owner: { of: 'accounts' } }, 'owner of accounts'],
    [{ owner: { of: 'articles', argument: 'input.id' } }, 'owner of articles by input.id'],
    [{ owner: { argument: 'id', unless: 'comments:delete' } }, 'owner of comments by id, or comments:delete'],
    [{ permissions: 'articles:update', owner: { argument: 'id' } }, 'articles:update; owner of articles by id'],
    [{ scope: 'openid' }, 'scope openid'],
    [
      { authenticated: true, scope: [['profile', 'openid'], ['email']] },
      'authenticated; scope email, or openid and profile',
    ],
    [{ stepUp: { maxAgeSeconds: 300 } }, 'factor at most 300 s old'],
    [
      { stepUp: { maxAgeSeconds: 300, ifEnrolled: true } },
      'factor at most 300 s old, the first one where there is no second',
    ],
    [
      { stepUp: { maxAgeSeconds: 300, ifEnrolled: true, recoveryCode: true } },
      'factor at most 300 s old, the first one where there is no second, or a recovery code',
    ],
  ] as const)('%j reads: %s', (input, text) => {
    expect(policy.rule(input as never).text).toBe(text)
  })

  test('has the same text however it was written', () => {
    const text = policy.rule({ permissions: [['articles:publish', 'articles:update'], ['comments:delete']] }).text
    expect(
      policy.rule({
        permissions: [
          ['comments:delete'],
          ['articles:update', 'articles:publish', 'articles:update'],
          ['comments:delete'],
        ],
      }).text,
    ).toBe(text)
  })

  test('distinguishes scopes that are permissions of the policy from others', () => {
    const rule = policy.rule({ scope: [['openid', 'articles:update']] })
    expect(rule.scope?.map(({ names, permissions }) => [names, permissions.names])).toEqual([
      [['articles:update', 'openid'], ['articles:update']],
    ])
  })

  test('with an owner is satisfied by "unless" and by ownership:bypass instead', () => {
    const rule = policy.rule({ owner: { argument: 'input.id', unless: 'comments:delete' } })
    expect(rule.owner).toMatchObject({ of: 'comments', argument: ['input', 'id'] })
    expect(rule.owner?.lifted.map((set) => set.names)).toEqual([['comments:delete'], ['ownership:bypass']])
  })

  test.each([
    ['nothing', {}, 'asks for nothing'],
    ['only credential', { credential: true }, 'asks for nothing'],
    ['an unknown word', 'open', 'a rule is'],
    ['null', null, 'a rule is'],
    ['a list', ['public'], 'a rule is'],
    ['an unknown part', { permission: 'articles:update' }, '"permission" is no part'],
    ['a false', { authenticated: false }, '"authenticated" is true or left out'],
    [
      'public beside a requirement',
      { public: true, permissions: 'articles:update' },
      '"public" cannot stand beside permissions',
    ],
    ['an account that is a client', { authenticated: true, client: true }, 'nobody is both'],
    ['an unknown permission', { permissions: 'articles:raed' }, 'unknown permission "articles:raed"'],
    ['an empty list of sets', { permissions: [] }, 'lets nobody in'],
    ['an empty set', { permissions: [['articles:update'], []] }, 'lets everybody in'],
    ['a flat list', { permissions: ['articles:update', 'articles:publish'] }, 'could mean any or all'],
    ['an unknown resource', { owner: { of: 'articels' } }, 'no ownership of "articels"'],
    [
      'an unknown "unless"',
      { owner: { of: 'articles', unless: 'articles:raed' } },
      'unknown permission "articles:raed"',
    ],
    ['an owner of nothing in particular', { owner: { argument: 'id' } }, 'whose owner is meant'],
    [
      'an ambiguous owner',
      { permissions: [['articles:update'], ['comments:delete']], owner: { argument: 'id' } },
      'whose owner is meant',
    ],
    ['an id where only objects have owners', { owner: { of: 'accounts', argument: 'id' } }, 'has no ownersById'],
    ['an argument that is no path', { owner: { of: 'articles', argument: 'input..id' } }, '"argument" is a path'],
    ['an unknown owner part', { owner: { of: 'articles', arg: 'id' } }, '"arg" is no part'],
    ['no scopes', { scope: [] }, '"scope": an empty list lets nobody in'],
    ['an empty set of scopes', { scope: [['openid'], []] }, '"scope": an empty set lets everybody in'],
    ['a flat list of scopes', { scope: ['openid', 'email'] }, '"scope": a flat list could mean any or all'],
    ['a scope with a space', { scope: 'openid email' }, '"openid email" cannot be a scope'],
    ['a scope that is no text', { scope: [[7, null]] }, '"scope": a name must be a text'],
    ['a factor without age', { stepUp: {} }, '"maxAgeSeconds"'],
    ['a factor of no age', { stepUp: { maxAgeSeconds: 0 } }, '"maxAgeSeconds"'],
    ['a factor of unknown age', { stepUp: { maxAgeSeconds: Number.NaN } }, '"maxAgeSeconds"'],
    ['a "recoveryCode" in words', { stepUp: { maxAgeSeconds: 1, recoveryCode: 'yes' } }, '"recoveryCode"'],
    ['an "ifEnrolled" in words', { stepUp: { maxAgeSeconds: 1, ifEnrolled: 'yes' } }, '"ifEnrolled"'],
  ])('is refused if it is %s', (_what, input, message) => {
    expect(() => policy.rule(input as never)).toThrow(TypeError)
    expect(() => policy.rule(input as never)).toThrow(message)
  })

  test('is refused once, with all problems', () => {
    expect(() => policy.rule({ permissions: 'a:b', stepUp: {}, owner: { of: 'x' } } as never)).toThrow(
      /unknown permission "a:b".*ownership of "x".*"maxAgeSeconds"/,
    )
  })
})
