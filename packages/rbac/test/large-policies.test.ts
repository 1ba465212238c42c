import { definePolicy, type PermissionName } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'

const count = 100_000

/** Milliseconds of processor time: what else runs on the machine does not count. */
function processorTimeOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const namesOf = (resourceOf: (index: number) => string): PermissionName[] =>
  Array.from({ length: count }, (_, index): PermissionName => `${resourceOf(index)}:do${index}`)

// Guards against a set of bits for each permission: ten times the permissions then take a hundred times the time and memory.
describe('a policy of a hundred thousand permissions', () => {
  test.each([
    ['of as many resources', (index: number) => `things${index}`],
    ['of a thousand resources', (index: number) => `things${index % 1000}`],
    ['of one resource', () => 'things'],
  ])('%s is defined within five seconds of processor time', (_of, resourceOf) => {
    const permissions = namesOf(resourceOf)
    const wildcards = [...new Set(permissions.map((name) => `${name.split(':')[0]}:*` as never))]
    const roles = { NAMES: { permissions }, WILDCARDS: { permissions: wildcards }, NONE: {} }
    const took = processorTimeOf(() => {
      const policy = definePolicy({ permissions, roles })
      for (const [role, isGranted] of [
        ['NAMES', true],
        ['WILDCARDS', true],
        ['NONE', false],
      ] as const) {
        const identity = policy.identify({ subject: 'acc_1', roles: [role] })
        expect(permissions.every((name) => policy.can(identity, name) === isGranted)).toBe(true)
      }
    })
    expect(took).toBeLessThan(5_000)
  })

  test('names each permission that stands twice once for each time too many', () => {
    const permissions = [...namesOf(() => 'things'), 'things:do7', 'things:do8', 'things:do7'] as const
    expect(() => definePolicy({ permissions, roles: {} })).toThrow(
      '"permissions": "things:do7", "things:do8", "things:do7" stands twice',
    )
  })
})
