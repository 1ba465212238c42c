import { definePolicy, type PermissionName } from '@latchkey/rbac'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const permissions = Array.from({ length: 70 }, (_none, index): PermissionName => `things:do${index}`)
const names = Array.from({ length: 8 }, (_none, index) => `R${index}`)

/** A role inherits later ones only, so there is no circle. */
const anyRoles = fc.tuple(
  ...names.map((_name, index) =>
    fc.record({
      inherits: fc.subarray(names.slice(index + 1)),
      permissions: fc.subarray(permissions, { maxLength: 8 }),
    }),
  ),
)

test('an identity has exactly the permissions of its roles and of their inherited roles, limited by its grant', () => {
  const anyGrant = fc.option(fc.subarray(permissions), { nil: null })
  fc.assert(
    fc.property(anyRoles, fc.subarray(names), anyGrant, fc.subarray(permissions), (drawn, held, scopes, asked) => {
      const roles = new Map(names.map((name, index) => [name, drawn[index]]))
      const reached = new Set(held)
      for (const name of reached) for (const inherited of roles.get(name)?.inherits ?? []) reached.add(inherited)
      const granted = new Set([...reached].flatMap((name) => roles.get(name)?.permissions ?? []))
      const expected = permissions.filter((name) => granted.has(name) && (scopes?.includes(name) ?? true))

      const policy = definePolicy({ permissions, roles: Object.fromEntries(roles) as never })
      const identity = policy.identify({ subject: 'acc_1', roles: held, scopes })
      expect(permissions.filter((name) => policy.can(identity, name))).toEqual(expected)
      expect(policy.holds(identity, policy.permissionSet(asked))).toBe(asked.every((name) => expected.includes(name)))
    }),
  )
})
