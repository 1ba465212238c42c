import { definePolicy, type PermissionName } from '@latchkey/rbac'

// 10 roles × 200 permissions, the last role inheriting all others. Prints the median of rounds in ns per check.
const permissions = Array.from({ length: 200 }, (_, index): PermissionName => `things${index % 20}:do${index}`)
const roles = Object.fromEntries(
  Array.from({ length: 10 }, (_, index) => [
    `ROLE${index}`,
    { inherits: index === 0 ? [] : [`ROLE${index - 1}`], permissions: permissions.slice(index * 20, index * 20 + 20) },
  ]),
)
const policy = definePolicy({
  permissions,
  roles,
  ownership: { things0: { ownerOf: (thing: { owner: string }) => thing.owner } },
})
const checks = 1_000_000

function nanosecondsPer(check: (index: number) => boolean): number {
  const rounds = Array.from({ length: 15 }, () => {
    let granted = 0
    const start = process.hrtime.bigint()
    for (let index = 0; index < checks; index++) if (check(index)) granted++
    const spent = Number(process.hrtime.bigint() - start) / checks
    return granted > 0 ? spent : Number.NaN
  })
  return rounds.sort((a, b) => a - b)[7] ?? Number.NaN
}

for (const role of ['ROLE0', 'ROLE9']) {
  const identity = policy.identify({ subject: 'acc_1', roles: [role] })
  const set = policy.permissionSet([permissions[7] as PermissionName])
  const thing = { owner: 'acc_1' }
  console.log(
    role,
    'by string',
    nanosecondsPer((index) => policy.can(identity, permissions[index % 200] as PermissionName)),
  )
  console.log(
    role,
    'by set',
    nanosecondsPer(() => policy.holds(identity, set)),
  )
  console.log(
    role,
    'with ownership',
    nanosecondsPer(() => policy.can(identity, 'things0:do0', thing as never)),
  )
}
