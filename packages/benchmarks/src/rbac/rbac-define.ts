import { definePolicy, type PermissionName } from '@latchkey/rbac'
import { atMost, type PartReport, type PartRun } from '../part.ts'
import { chartOfRounds, measureRounds } from '../rounds.ts'
import { median } from '../statistics.ts'
import { formatNumber } from '../table.ts'

const counts = [1_000, 10_000, 100_000]

/** Milliseconds of processor time for one policy: ten roles, each inheriting the one before it. */
export async function measureRbacDefine(run: PartRun): Promise<PartReport> {
  const figures = await measureRounds(run, counts.map(String), async (count) => definePolicyOf(Number(count)))
  const rows = counts.map((count) => {
    const took = median(figures[count] ?? [])
    return [String(count), formatNumber(took), formatNumber((took * 1000) / count)]
  })
  return {
    tables: [
      {
        title: 'A policy is defined',
        head: ['permissions', 'ms', 'µs for each permission'],
        rows,
        chart: chartOfRounds('ms of processor time, by the number of permissions', figures),
      },
    ],
    targets: [atMost(60, 'ms of processor time', '10000 permissions', median(figures[10_000] ?? []))],
    figures,
  }
}

function definePolicyOf(count: number): number {
  const permissions = Array.from({ length: count }, (_, index): PermissionName => `things${index}:do`)
  const ofRole = (role: number) => permissions.slice((role * count) / 10, ((role + 1) * count) / 10)
  const roles = Object.fromEntries(
    Array.from({ length: 10 }, (_, role) => [
      `ROLE${role}`,
      { inherits: role === 0 ? [] : [`ROLE${role - 1}`], permissions: ofRole(role) },
    ]),
  )
  const before = process.cpuUsage()
  definePolicy({ permissions, roles })
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
