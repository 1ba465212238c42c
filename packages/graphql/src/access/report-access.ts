import type { AnyPolicy, Identity, Rule } from '@latchkey/rbac'
import type { Access } from '../access-contract.ts'
import { createRuleDecider, type RuleDecider } from '../rules/decide-rule.ts'
import { isRefused } from '../rules/refusing-verdicts.ts'

/** The proof that every field has a rule: deterministic, so a test can keep it as a snapshot. */
export interface AccessReport {
  /** Sorted by coordinate. The row `__schema` has the rule of introspection. */
  readonly rows: readonly {
    /** `Type.field` */
    readonly coordinate: string
    /** All rules that reach the field, in words. */
    readonly rule: string
    /**
     * The access of accounts to the field: `own` requires ownership, `step-up` a recently proven factor; `null` sets
     * the field to null without an error. By column:
     *
     * - `anonymous`;
     * - each role: a first-party account with only this role, without a second factor;
     * - `third party without scopes`: a grant without scopes, of an account with all roles;
     * - `before enrollment`, if a rule has `beforeEnrollment`: an account that must enroll a second factor first.
     */
    readonly outcomes: Readonly<Record<string, 'yes' | 'own' | 'step-up' | 'null' | '401' | '403'>>
  }[]
  /** `anonymous`, then the policy's roles in their order, then `third party without scopes` and `before enrollment`. */
  readonly columns: readonly string[]
  /** The codes of the option `errors` of `compileAccess`, sorted. */
  readonly errors: readonly {
    readonly code: string
    readonly status: number | 'built in'
    readonly expose: readonly string[]
  }[]
  /** The rows as a table, and a second table if there are errors. */
  readonly text: string
}

type Row = AccessReport['rows'][number]

/**
 * Returns the rule of every coordinate, and which roles satisfy it.
 *
 * @example
 * import { authDirectives, compileAccess, reportAccess } from '@latchkey/graphql'
 * import { definePolicy } from '@latchkey/rbac'
 * import { buildSchema } from 'graphql'
 * const policy = definePolicy({ permissions: ['notes:read'], roles: { READER: { permissions: ['notes:read'] } } })
 * const schema = buildSchema(`${authDirectives} type Query { notes: [String!]! @requires(permissions: "notes:read") }`)
 * process.stdout.write(reportAccess(compileAccess({ schema, policy })).text)
 */
export function reportAccess(access: Pick<Access, 'policy' | 'fields' | 'introspection' | 'errors'>): AccessReport {
  const { policy, fields, introspection } = access
  const decider = createRuleDecider(policy, () => 0)
  const isOpenBefore = fields.some(({ rules }) => rules.some((rule) => rule.beforeEnrollment))
  const asking = visitors(policy, isOpenBefore)
  const row = (coordinate: string, rules: readonly Rule[], isCredential: boolean): Row => ({
    coordinate,
    rule: textOf(rules, isCredential),
    outcomes: Object.fromEntries(asking.map(([name, identity]) => [name, outcomeOf(rules, identity, decider)])),
  })
  const rows = [
    ...fields.map(({ coordinate, rules, isCredential }) => row(coordinate, rules, isCredential)),
    row('__schema', introspection, false),
  ]
  const columns = asking.map(([name]) => name)
  const errors = [...access.errors].map(([code, declared]) => ({ code, ...declared }))
  return { rows, columns, errors, text: textOfTables(matrixOf(rows, columns), errorsOf(errors)) }
}

function visitors(policy: AnyPolicy, isOpenBefore: boolean): readonly (readonly [string, Identity | null])[] {
  const withRole = (role: string) => [role, policy.identify({ subject: 'report', roles: [role] })] as const
  const thirdParty = policy.identify({ subject: 'report', roles: policy.roles, scopes: [], firstParty: false })
  const unenrolled = policy.identify({ subject: 'report', roles: policy.roles, mustEnroll: true })
  return [
    ['anonymous', null],
    ...policy.roles.map(withRole),
    ['third party without scopes', thirdParty],
    ...(isOpenBefore ? [['before enrollment', unenrolled] as const] : []),
  ]
}

function textOf(rules: readonly Rule[], isCredential: boolean): string {
  const texts = rules.map(({ text }) => text.replace(/; also impersonated\b/, '').replace(/(^|; )credential$/, ''))
  const words = texts.length > 0 ? texts : ['public']
  return [...words, ...(isCredential ? ['credential'] : [])].join('; ')
}

function outcomeOf(rules: readonly Rule[], identity: Identity | null, decider: RuleDecider): Row['outcomes'][string] {
  if (rules.length === 0) return 'yes'
  if (rules.some((rule) => rule.orNull))
    return rules.every((rule) => decider.decide(rule, identity, rules) === 'allowed') ? 'yes' : 'null'
  if (!identity) return '401'
  const verdicts = rules.map((rule) => decider.decide(rule, identity, rules))
  if (verdicts.some(isRefused)) return '403'
  if (rules.some((rule) => rule.stepUp)) return 'step-up'
  return rules.some((rule) => rule.owner && !decider.liftsOwner(rule, identity)) ? 'own' : 'yes'
}

type Table = readonly (readonly string[])[]

function matrixOf(rows: readonly Row[], columns: readonly string[]): Table {
  return [
    ['Coordinate', 'Rule', ...columns],
    ...rows.map(({ coordinate, rule, outcomes }) => [coordinate, rule, ...columns.map((name) => outcomes[name] ?? '')]),
  ]
}

function errorsOf(errors: AccessReport['errors']): Table {
  if (errors.length === 0) return []
  const rows = errors.map(({ code, status, expose }) => [code, String(status), expose.join(', ') || 'none'])
  return [['Error code', 'Status', 'Exposed'], ...rows]
}

function textOfTables(...tables: readonly Table[]): string {
  return tables
    .filter((table) => table.length > 0)
    .map(tableOf)
    .join('\n')
}

function tableOf(lines: Table): string {
  const widths = (lines[0] ?? []).map((_cell, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const table = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return `${table.join('\n')}\n`
}
