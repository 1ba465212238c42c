import { createMongoAbility } from '@casl/ability'
import { definePolicy, type Identity, type PermissionName } from '@latchkey/rbac'
import { type Enforcer, newEnforcer, newModelFromString } from 'casbin'
import { atMost, type PartReport, type PartRun } from '../part.ts'
import { chartOfRounds, measureRounds, peersOf } from '../rounds.ts'
import { median, medianRatio } from '../statistics.ts'
import { formatNumber, formatRatio } from '../table.ts'
import { microsecondsPer, nanosecondsPer } from '../time-calls.ts'

// 10 roles of 20 permissions each, every role inheriting the one before it: ROLE9 has all 200.
const permissions = Array.from({ length: 200 }, (_, index): PermissionName => `things${index % 20}:do${index}`)
const ownPermissions = (role: number): PermissionName[] => permissions.slice(role * 20, role * 20 + 20)
const roles = Object.fromEntries(
  Array.from({ length: 10 }, (_, role) => [
    `ROLE${role}`,
    { inherits: role === 0 ? [] : [`ROLE${role - 1}`], permissions: ownPermissions(role) },
  ]),
)
const split = (permission: string): string[] => permission.split(':')

/** Nanoseconds for one question. */
export async function measureRbacCheck(run: PartRun): Promise<PartReport> {
  const ways = await prepareWays()
  for (const way of Object.values(ways)) await way(0.2)
  const figures = await measureRounds(run, Object.keys(ways), async (name) => (await ways[name]?.(run.seconds)) ?? 0)
  const of = (name: string): number => median(figures[name] ?? [])
  const peers = peersOf(figures, ['CASL, ability kept for the role', 'CASL, ability built for the request', 'casbin'])
  const rows = Object.entries(figures).map(([name, rounds]) => [
    name,
    formatNumber(median(rounds)),
    formatRatio(medianRatio(rounds, figures['latchkey by string, ROLE9'])),
  ])
  return {
    tables: [
      {
        title: 'One question',
        head: ['way', 'ns', 'of latchkey by string'],
        rows,
        chart: chartOfRounds('ns for a question', figures),
      },
    ],
    targets: [
      ...['ROLE0', 'ROLE9'].map((role) => atMost(50, 'ns by string', role, of(`latchkey by string, ${role}`), peers)),
      ...['ROLE0', 'ROLE9'].map((role) =>
        atMost(15, 'ns by interned set', role, of(`latchkey by set, ${role}`), peers),
      ),
    ],
    figures,
  }
}

type Way = (seconds: number) => number | Promise<number>

async function prepareWays(): Promise<Record<string, Way>> {
  const enforcer = await buildEnforcer()
  return {
    ...latchkeyWays(),
    'CASL, ability kept for the role': (seconds) => nanosecondsPer(askCasl(), seconds),
    'CASL, ability built for the request': async (seconds) =>
      1000 * (await microsecondsPer(() => buildAbility().can('do7', 'things7'), seconds)),
    casbin: async (seconds) =>
      1000 * (await microsecondsPer(() => enforcer.enforce('ROLE9', 'things7', 'do7'), seconds, 20)),
  }
}

function latchkeyWays(): Record<string, Way> {
  const policy = definePolicy({
    permissions,
    roles,
    ownership: { things0: { ownerOf: (thing: { owner: string }) => thing.owner } },
  })
  const set = policy.permissionSet(permissions.slice(7, 8))
  const thing = { owner: 'acc_1' }
  const byString = (identity: Identity | null) => (count: number) => {
    let granted = 0
    for (let index = 0; index < count; index++) {
      if (policy.can(identity, permissions[index % 200] ?? 'a:b')) granted++
    }
    return granted
  }
  const bySet = (identity: Identity | null) => (count: number) => {
    let granted = 0
    for (let index = 0; index < count; index++) if (policy.holds(identity, set)) granted++
    return granted
  }
  const withOwnership = (identity: Identity | null) => (count: number) => {
    let granted = 0
    for (let index = 0; index < count; index++) if (policy.can(identity, 'things0:do0', thing)) granted++
    return granted
  }
  const asked = { 'by string': byString, 'by set': bySet, 'with ownership': withOwnership }
  const ways: Record<string, Way> = {}
  for (const [how, ask] of Object.entries(asked)) {
    for (const role of ['ROLE0', 'ROLE9']) {
      const askMany = ask(policy.identify({ subject: 'acc_1', roles: [role] }))
      ways[`latchkey ${how}, ${role}`] = (seconds) => nanosecondsPer(askMany, seconds)
    }
  }
  return ways
}

function askCasl(): (count: number) => number {
  const ability = buildAbility()
  const asked = permissions.map((permission) => split(permission))
  return (count) => {
    let granted = 0
    for (let index = 0; index < count; index++) {
      const [resource = '', action = ''] = asked[index % 200] ?? []
      if (ability.can(action, resource)) granted++
    }
    return granted
  }
}

/** Builds the ability as its documentation shows for roles: the rules of the role and of its inherited roles. */
function buildAbility() {
  return createMongoAbility(
    permissions.map((permission) => {
      const [subject = '', action = ''] = split(permission)
      return { action, subject }
    }),
  )
}

/** The RBAC model of its documentation. */
async function buildEnforcer(): Promise<Enforcer> {
  const model = newModelFromString(`
[request_definition]
r = sub, obj, act
[policy_definition]
p = sub, obj, act
[role_definition]
g = _, _
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = g(r.sub, p.sub) && r.obj == p.obj && r.act == p.act
`)
  const enforcer = await newEnforcer(model)
  for (let role = 0; role < 10; role++) {
    if (role > 0) await enforcer.addGroupingPolicy(`ROLE${role}`, `ROLE${role - 1}`)
    for (const permission of ownPermissions(role)) await enforcer.addPolicy(`ROLE${role}`, ...split(permission))
  }
  return enforcer
}
