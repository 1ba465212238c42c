import { definePolicy, RbacError } from '@latchkey/rbac'
import { beforeEach, describe, expect, test } from 'vitest'

const createPolicy = () =>
  definePolicy({
    permissions: ['notes:read', 'notes:delete', 'accounts:read', 'ownership:bypass'],
    roles: {
      READER: { permissions: ['notes:read'] },
      ADMIN: { inherits: ['READER'], permissions: ['accounts:read'] },
    },
    ownership: { notes: { ownerOf: (note: { owner: string }) => note.owner } },
  })
let policy: ReturnType<typeof createPolicy>
beforeEach(() => {
  policy = createPolicy()
})
const as = (...roles: string[]) => policy.identify({ subject: 'acc_1', roles })
const granted = (identity: ReturnType<typeof as>) => policy.permissions.filter((name) => policy.can(identity, name))

describe('a role that is set at run time', () => {
  test('has its permissions and the permissions of the inherited roles of the code', () => {
    policy.changeRoles({ MODERATOR: { inherits: ['READER'], permissions: ['notes:delete'] } })
    expect(granted(as('MODERATOR'))).toEqual(['notes:read', 'notes:delete'])
    expect(policy.explain(as('MODERATOR'), 'notes:read').through).toEqual([['MODERATOR', 'READER']])
  })

  test('replaces the one in the code, also for roles that inherit it, until it is removed', () => {
    policy.changeRoles({ READER: { permissions: ['notes:delete'] } })
    expect(granted(as('ADMIN'))).toEqual(['notes:delete', 'accounts:read'])
    policy.changeRoles({})
    expect(granted(as('ADMIN'))).toEqual(['notes:read', 'accounts:read'])
  })

  test('is removed by the next change that does not name it', () => {
    policy.changeRoles({ MODERATOR: { permissions: ['notes:delete'] } })
    policy.changeRoles({ OTHER: { permissions: ['notes:read'] } })
    expect(granted(as('MODERATOR'))).toEqual([])
    expect(Object.keys(policy.currentRoles())).toEqual(['READER', 'ADMIN', 'OTHER'])
  })

  test('is active at once for existing identities, and for rules, sets and filters', () => {
    const [identity, bounded] = [
      as('MODERATOR'),
      policy.identify({ subject: 'acc_1', roles: ['MODERATOR'], scopes: ['notes:read'] }),
    ]
    const set = policy.permissionSet(['notes:delete'])
    expect(policy.holds(identity, set)).toBe(false)
    policy.changeRoles({ MODERATOR: { inherits: ['READER'], permissions: ['notes:delete', 'ownership:bypass'] } })
    expect(granted(identity)).toEqual(['notes:read', 'notes:delete', 'ownership:bypass'])
    expect(policy.holds(identity, set)).toBe(true)
    expect(policy.can(identity, 'notes:delete', { owner: 'acc_2' })).toBe(true)
    expect(granted(bounded)).toEqual(['notes:read'])
    policy.changeRoles({ MODERATOR: { inherits: ['READER'] } })
    expect(granted(identity)).toEqual(['notes:read'])
    expect(policy.holds(identity, set)).toBe(false)
    expect(policy.can(identity, 'notes:delete', { owner: 'acc_1' })).toBe(false)
  })

  test('is active in every policy that shares the roles, and in no other policy', () => {
    const wider = policy.withOwnership({ accounts: { ownerOf: (account: { id: string }) => account.id } })
    const other = createPolicy()
    policy.changeRoles({ MODERATOR: { permissions: ['notes:delete'] } })
    expect(wider.can(as('MODERATOR'), 'notes:delete')).toBe(true)
    expect(other.can(other.identify({ subject: 'acc_1', roles: ['MODERATOR'] }), 'notes:delete')).toBe(false)
  })

  test('does not change with the object that was passed', () => {
    const permissions: 'notes:delete'[] = ['notes:delete']
    policy.changeRoles({ MODERATOR: { permissions } })
    permissions.pop()
    expect(granted(as('MODERATOR'))).toEqual(['notes:delete'])
    expect(() => Object.assign(policy.currentRoles(), { X: {} })).toThrow(TypeError)
    const { MODERATOR } = policy.currentRoles()
    expect(() => Object.assign(MODERATOR?.permissions ?? {}, ['accounts:read'])).toThrow(TypeError)
    expect(policy.roles).toEqual(['READER', 'ADMIN'])
  })
})

const nested = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_none, at) => [`R${at}`, at === 0 ? {} : { inherits: [`R${at - 1}`] }]),
  )

describe('a change of roles', () => {
  test.each<[string, unknown, string]>([
    ['an unknown permission', { A: { permissions: ['notes:raed'] } }, 'A has the unknown permission "notes:raed"'],
    ['an unknown role', { A: { inherits: ['B'] } }, 'A inherits the unknown role "B"'],
    ['a role that inherits itself', { A: { inherits: ['A'] } }, 'A → A'],
    ['a circle', { A: { inherits: ['B'] }, B: { inherits: ['A'] } }, 'A → B → A'],
    ['a circle through the code', { READER: { inherits: ['ADMIN'] } }, 'READER → ADMIN → READER'],
    ['one bad role among good ones', { GOOD: {}, BAD: { permissions: ['x:y'] } }, 'BAD has the unknown permission'],
    ['a name with a space', { 'A B': {} }, '"A B" is not a name'],
    ['a name that is a prototype', JSON.parse('{"__proto__": {"permissions": ["notes:delete"]}}'), '__proto__'],
    ['nothing', null, '"roles" must be an object'],
    ['a list', [{ permissions: [] }], '"roles" must be an object'],
    ['a role that is null', { A: null }, '"A" must be an object'],
    ['a role that is a list', { A: ['notes:read'] }, '"A" must be an object'],
    ['permissions that are a text', { A: { permissions: 'notes:read' } }, '"A" must have lists of names'],
    ['a permission that is no text', { A: { permissions: [{ toString: () => 'notes:read' }] } }, 'lists of names'],
    ['a misspelt part', { A: { permission: ['notes:read'] } }, '"permission" is no part of a role'],
    [
      'too many of them',
      Object.fromEntries(Array.from({ length: 1001 }, (_none, at) => [`R${at}`, {}])),
      'more than 1000',
    ],
  ])('is refused as a whole with %s, and the previous roles stay active', (_what, roles, message) => {
    policy.changeRoles({ MODERATOR: { permissions: ['notes:delete'] } })
    const [identity, before] = [as('MODERATOR', 'READER', 'A', 'GOOD'), policy.currentRoles()]
    for (const change of [policy.changeRoles, policy.checkRoles]) {
      const refused = expect(() => change(roles as never))
      refused.toThrow(RbacError)
      refused.toThrow(
        expect.objectContaining({ code: 'RBAC_ROLES_INVALID', message: expect.stringContaining(message) }),
      )
    }
    expect(policy.currentRoles()).toBe(before)
    expect(granted(identity)).toEqual(['notes:read', 'notes:delete'])
  })

  test('accepts a thousand roles, each inheriting the previous role', () => {
    policy.changeRoles(nested(1000))
    expect(granted(as('R999'))).toEqual([])
    policy.changeRoles({ ...nested(1000), R0: { permissions: ['notes:delete'] } })
    expect(granted(as('R999'))).toEqual(['notes:delete'])
  })

  test('accepts 400 roles, each inheriting all roles before it', () => {
    const names = Array.from({ length: 400 }, (_none, at) => `R${at}`)
    const all = Object.fromEntries(names.map((name, at) => [name, { inherits: names.slice(0, at) }]))
    policy.changeRoles({ ...all, R0: { permissions: ['notes:delete'] } })
    expect(granted(as('R399'))).toEqual(['notes:delete'])
    expect(policy.explain(as('R399'), 'notes:delete').through).toEqual([['R399', 'R0']])
  })

  test('is not made by checkRoles', () => {
    policy.checkRoles({ MODERATOR: { permissions: ['notes:delete'] } })
    expect(granted(as('MODERATOR'))).toEqual([])
  })
})
