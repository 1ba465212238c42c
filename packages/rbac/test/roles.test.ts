import { definePolicy } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'

const policy = definePolicy({
  permissions: ['articles:read', 'articles:update', 'articles:publish', 'accounts:read'],
  roles: {
    READER: { permissions: ['articles:read'] },
    AUTHOR: { inherits: ['READER'], permissions: ['articles:update'] },
    EDITOR: { inherits: ['AUTHOR'], permissions: ['articles:publish'] },
    AUDITOR: { permissions: ['accounts:read'] },
  },
})
const as = (...roles: string[]) => policy.identify({ subject: 'acc_1', roles })
const granted = (identity: ReturnType<typeof as>) => policy.permissions.filter((name) => policy.can(identity, name))

describe('a role', () => {
  test('has its own permissions and all that it inherits', () => {
    expect(granted(as('READER'))).toEqual(['articles:read'])
    expect(granted(as('EDITOR'))).toEqual(['articles:read', 'articles:update', 'articles:publish'])
  })

  test('adds to the other roles of the identity', () => {
    expect(granted(as('READER', 'AUDITOR'))).toEqual(['articles:read', 'accounts:read'])
  })

  test.each(['', 'reader', 'READER ', 'ADMIN', '__proto__', 'constructor', 'toString'])(
    'gives no permission if the policy does not know it: %j',
    (role) => {
      expect(granted(as(role))).toEqual([])
    },
  )

  test('more than 32 permissions keep their own bits', () => {
    const names = Array.from({ length: 100 }, (_, index) => `things:do${index}` as const)
    const wide = definePolicy({
      permissions: names,
      roles: { ODD: { permissions: names.filter((_, i) => i % 2 === 1) } },
    })
    const identity = wide.identify({ subject: 'acc_1', roles: ['ODD'] })
    for (const [index, name] of names.entries()) expect(wide.can(identity, name)).toBe(index % 2 === 1)
    expect(wide.holds(identity, wide.permissionSet(['things:do1', 'things:do99']))).toBe(true)
    expect(wide.holds(identity, wide.permissionSet(['things:do1', 'things:do98']))).toBe(false)
    expect(wide.holds(identity, wide.permissionSet(['things:do31', 'things:do63']))).toBe(true)
  })
})

describe('a wildcard in a role', () => {
  const wide = definePolicy({
    permissions: ['articles:read', 'articles:update', 'comments:read', 'ownership:bypass'],
    roles: {
      WRITER: { permissions: ['articles:*'] },
      HEAD: { inherits: ['WRITER'], permissions: ['comments:*', 'ownership:bypass'] },
    },
  })
  const writer = wide.identify({ subject: 'acc_1', roles: ['WRITER'] })
  const head = wide.identify({ subject: 'acc_2', roles: ['HEAD'] })

  test('gives every permission of that resource, and no other permission', () => {
    expect(wide.permissions.filter((name) => wide.can(writer, name))).toEqual(['articles:read', 'articles:update'])
    expect(wide.permissions.filter((name) => wide.can(head, name))).toEqual(wide.permissions)
    expect(wide.holds(writer, wide.permissionSet(['articles:read', 'articles:update']))).toBe(true)
    expect(wide.holds(writer, wide.permissionSet(['articles:read', 'comments:read']))).toBe(false)
  })

  test('is explained by the role that has it', () => {
    expect(wide.explain(head, 'articles:update')).toMatchObject({ allowed: true, through: [['HEAD', 'WRITER']] })
    expect(wide.explain(writer, 'comments:read')).toMatchObject({ allowed: false, reason: 'no-permission' })
  })

  test('is limited by the grant like permissions by their names', () => {
    const bounded = wide.identify({ subject: 'acc_1', roles: ['WRITER'], scopes: ['articles:read', 'comments:read'] })
    expect(wide.permissions.filter((name) => wide.can(bounded, name))).toEqual(['articles:read'])
  })

  test('is valid in roles only, neither in a grant nor in a check', () => {
    const client = wide.identify({ subject: 'job', kind: 'client', roles: [], scopes: ['articles:*'] })
    expect(wide.permissions.filter((name) => wide.can(client, name))).toEqual([])
    expect(wide.can(head, 'articles:*' as never)).toBe(false)
    expect(() => wide.permissionSet(['articles:*' as never])).toThrow('unknown permission "articles:*"')
    expect(() => wide.rule({ permissions: 'articles:*' as never })).toThrow('unknown permission "articles:*"')
  })

  test('may be set at run time, and is removed with its role', () => {
    const changing = definePolicy({ permissions: ['notes:read', 'notes:delete'], roles: {} })
    const keeper = changing.identify({ subject: 'acc_1', roles: ['KEEPER'] })
    changing.changeRoles({ KEEPER: { permissions: ['notes:*'] } })
    expect(changing.can(keeper, 'notes:delete')).toBe(true)
    expect(() => changing.changeRoles({ KEEPER: { permissions: ['accounts:*' as never] } })).toThrow(
      'KEEPER has the unknown permission "accounts:*"',
    )
    expect(changing.can(keeper, 'notes:delete')).toBe(true)
    changing.changeRoles({})
    expect(changing.can(keeper, 'notes:delete')).toBe(false)
  })
})

describe('a permission', () => {
  test.each(['articles:raed', 'articles', '', '__proto__', 'constructor'])(
    'is refused to every identity if it does not exist: %j',
    (name) => {
      expect(policy.can(as('EDITOR'), name as never)).toBe(false)
      expect(policy.explain(as('EDITOR'), name as never)).toMatchObject({ allowed: false, reason: 'no-permission' })
    },
  )

  test('is not granted by the same bits of another policy', () => {
    const other = definePolicy({ permissions: ['x:a', 'x:b', 'x:c', 'x:d'], roles: {} })
    expect(policy.holds(as('EDITOR'), other.permissionSet(['x:a']))).toBe(false)
    expect(policy.holds(as('EDITOR'), { names: [] })).toBe(false)
  })
})

describe('a definition is refused', () => {
  const roles = { AUTHOR: { permissions: ['a:read'] } }
  test.each([
    [
      'an unknown permission of a role',
      { permissions: ['a:read'], roles: { A: { permissions: ['a:raed'] } } },
      'A has the unknown permission "a:raed"',
    ],
    [
      'an unknown inherited role',
      { permissions: [], roles: { A: { inherits: ['B'] } } },
      'A inherits the unknown role "B"',
    ],
    ['a role that inherits itself', { permissions: [], roles: { A: { inherits: ['A'] } } }, 'A → A'],
    [
      'a circle',
      { permissions: [], roles: { A: { inherits: ['B'] }, B: { inherits: ['C'] }, C: { inherits: ['B'] } } },
      'B → C → B',
    ],
    [
      'a wildcard of nothing',
      { permissions: ['a:read'], roles: { A: { permissions: ['b:*'] } } },
      'A has the unknown permission "b:*"',
    ],
    [
      'a wildcard of everything',
      { permissions: ['a:read'], roles: { A: { permissions: ['*', '*:*'] } } },
      'A has the unknown permission "*", "*:*"',
    ],
    [
      'a wildcard that would lift every owner rule',
      { permissions: ['ownership:bypass'], roles: { A: { permissions: ['ownership:*'] } } },
      'A has the unknown permission "ownership:*"',
    ],
    ['a permission without an action', { permissions: ['a'], roles: {} }, '"a" is not of the form'],
    ['a wildcard that is a permission', { permissions: ['a:*'], roles: {} }, '"a:*" is not of the form'],
    ['a permission that stands twice', { permissions: ['a:b', 'a:b'], roles: {} }, '"a:b" stands twice'],
    ['a role name with a space', { permissions: [], roles: { 'A B': {} } }, '"A B" is not a name'],
    ['a misspelt part of a role', { permissions: [], roles: { A: { inherit: [] } } }, 'and has "inherit"'],
    ['a role that is a list', { permissions: ['a:b'], roles: { A: ['a:b'] } }, 'A must be { inherits, permissions }'],
    ['a part that is no list', { permissions: ['a:b'], roles: { A: { permissions: 'a:b' } } }, 'must be a list'],
    ['a role that is nothing', { permissions: [], roles: { A: null } }, 'A must be { inherits, permissions }'],
    ['no permissions', { roles: {} }, '"permissions" must be a list'],
    ['no roles', { permissions: [] }, '"roles" must be an object'],
    ['an ownership that is empty', { permissions: ['a:read'], roles, ownership: { a: {} } }, 'a has no function'],
    [
      'a misspelt ownership function',
      { permissions: ['a:read'], roles, ownership: { a: { ownerof: () => '' } } },
      'a.ownerof',
    ],
  ])('with %s', (_what, definition, message) => {
    expect(() => definePolicy(definition as never)).toThrow(TypeError)
    expect(() => definePolicy(definition as never)).toThrow(message)
  })

  test('once, with all problems', () => {
    const definition = { permissions: ['a', 'b:c'], roles: { A: { inherits: ['X'], permissions: ['b:d'] } } }
    expect(() => definePolicy(definition as never)).toThrow(/"a" is not.*unknown role "X".*unknown permission "b:d"/)
  })
})
