import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import type { AnyPolicy, Rule, RuleOf } from '@latchkey/rbac'
import { assertValidSchema, type GraphQLSchema } from 'graphql'
import type { Access } from '../access-contract.ts'
import { type DocumentLimits, readLimits } from '../documents/limits.ts'
import { createPlannedDocuments } from '../plan/planned-documents.ts'
import { readDeclaredErrors } from '../responses/declared-errors.ts'
import { collectRules, type RuleMap, type WrittenRules } from '../rules/collect-rules.ts'
import { createRuleDecider } from '../rules/decide-rule.ts'
import type { WrittenRule } from '../rules/directive-rules.ts'
import { conjunction, effectiveRules, type FieldAccess } from '../rules/effective-rules.ts'
import { findMisplacedRules } from '../rules/misplaced-rules.ts'
import { checkAliases, type DirectiveAliases, ruleDirectivesOf } from '../rules/rule-directives.ts'
import { authorize, checkIdentity } from './auth-context.ts'
import { checkSchema } from './check-schema.ts'
import { createPrepare } from './prepare.ts'
import { sealCredentialSchema, sealSchema } from './sealed-schema.ts'

export interface AccessOptions<P extends AnyPolicy> {
  /** Includes the resolvers. It is not changed. */
  readonly schema: GraphQLSchema
  readonly policy: P
  /** Rules for coordinates that have no rule in the schema, for example in a schema of a library. */
  readonly rules?: RuleMap<P>
  /**
   * Other names for directives of `authDirectives`, for example `{ requires: 'requiresPermission' }` if Apollo
   * Federation has a `@requires`. Define the directives under these names.
   */
  readonly directives?: {
    readonly [Name in
      | 'public'
      | 'authenticated'
      | 'client'
      | 'requires'
      | 'owner'
      | 'stepUp'
      | 'scope'
      | 'firstParty'
      | 'beforeEnrollment'
      | 'credential'
      | 'orNull']?: string
  }
  /**
   * The rule of `__schema` and `__type`; `__typename` is free. Unless it is `public`, messages about a document contain
   * only names of the document. @default 'refused', for every identity
   */
  readonly introspection?: 'refused' | RuleOf<P>
  /**
   * The effect of a refusal while a query executes: `reject` the whole answer with 403, or set the field to null and
   * answer `partial`ly. Below the root of a mutation always `partial`, because the effect has happened. @default
   * 'reject'
   */
  readonly ownership?: 'reject' | 'partial'
  /**
   * The error codes of the application, by `extensions.code` of its `GraphQLError`s. Their messages and exposed
   * extensions are sent. Errors with other codes are masked.
   */
  readonly errors?: {
    readonly [code: string]: {
      /**
       * With 200 the field is null and the rest of the response is sent; any other status refuses the whole response,
       * as `FORBIDDEN` does. A built-in code keeps its own status. @default 200
       */
      readonly status?: 200 | 400 | 402 | 404 | 409 | 410 | 412 | 422 | 451
      /**
       * The names of extensions that are sent: strings of at most 1,000 characters, finite numbers, booleans, nulls, and lists of
       * at most 100 of these. Other values are left out. @default none
       */
      readonly expose?: readonly string[]
    }
  }
  /** The limits of a document. Omitted limits have their defaults. */
  readonly limits?: Partial<DocumentLimits>
  /** Returns epoch milliseconds, for the age of factors. @default Date.now */
  readonly now?: () => number
}

/**
 * Compiles the rules of a schema, and proves that every field has a rule.
 *
 * Rules come from directives (`authDirectives`), from `extensions.auth`, and from `rules`. A field is open to an
 * identity that satisfies all of these: the rule of the field, of its type, of the interfaces of its type, and of the
 * type that it returns.
 *
 * @throws TypeError that names an option, or lists all mistakes in the rules: coordinates without a rule, contradicting
 * sources, names that the policy does not have, and rules at places that do not enforce them.
 *
 * @example
 * import { authDirectives, compileAccess } from '@latchkey/graphql'
 * import { definePolicy } from '@latchkey/rbac'
 * import { buildSchema, execute } from 'graphql'
 * const policy = definePolicy({ permissions: ['notes:read'], roles: { READER: { permissions: ['notes:read'] } } })
 * const schema = buildSchema(`${authDirectives} type Query { notes: [String!]! @requires(permissions: "notes:read") }`)
 * const access = compileAccess({ schema, policy })
 * const verdict = await access.prepare({ query: '{ notes }' }, { identity: null })
 * if (verdict.ok) await execute(verdict.args) // else verdict.errors: UNAUTHENTICATED
 */
export function compileAccess<const P extends AnyPolicy>(options: AccessOptions<P>): Access<P> {
  const {
    schema,
    policy,
    ownership = 'reject',
    now = wallClock,
  } = checkOptionNames('compileAccess', options, optionNames)
  checkOptions(options)
  const limits = readLimits(options.limits)
  const errors = readDeclaredErrors(options.errors)
  const { fields, introspection } = compileRules(options)
  const decider = createRuleDecider(policy, now)
  const input = { schema, policy, decider, introspection, access: fields }
  const sealed = sealSchema(input)
  let credential: GraphQLSchema | null = null
  // The compiler checked the names that the policy's type adds to the context: at run time it is the same context.
  const prepare = createPrepare({
    policy,
    decider,
    schema,
    ownership,
    limits,
    documents: createPlannedDocuments({ ...input, limits, areDetailsTold: introspection.length === 0 }),
    sealedFor(plan) {
      if (!plan.credential) return sealed
      credential ??= sealCredentialSchema(input)
      return credential
    },
  }) as unknown as Access<P>['prepare']
  const sorted = [...fields.values()].sort((a, b) => (a.coordinate < b.coordinate ? -1 : 1))
  return Object.freeze<Access<P>>({
    schema,
    policy,
    ownership,
    introspection,
    errors,
    limits: { pageSize: limits.pageSize },
    fields: Object.freeze(sorted),
    prepare,
    authorize: (identity, rule, ...owned) =>
      authorize(
        policy,
        decider,
        { identity: checkIdentity(policy, identity), names: null },
        rule as Exclude<RuleOf<AnyPolicy>, 'public'>,
        owned,
      ),
    sealed,
  })
}

const optionNames = {
  schema: true,
  policy: true,
  rules: true,
  directives: true,
  introspection: true,
  ownership: true,
  errors: true,
  limits: true,
  now: true,
} as const

/** The options without the policy's names in types: the compiler checked them, and the policy checks them again. */
interface CompileOptions {
  readonly schema: GraphQLSchema
  readonly policy: AnyPolicy
  readonly rules?: WrittenRules | undefined
  readonly directives?: DirectiveAliases | undefined
  readonly introspection?: 'refused' | WrittenRule | undefined
  readonly ownership?: 'reject' | 'partial' | undefined
}

function checkOptions({ schema, policy, ownership = 'reject', directives = {} }: CompileOptions): void {
  if (typeof policy?.rule !== 'function') throw new TypeError('"policy" must come from definePolicy')
  if (ownership !== 'reject' && ownership !== 'partial')
    throw new TypeError('"ownership" must be "reject" or "partial"')
  checkAliases(directives)
  checkSchema(schema)
  try {
    assertValidSchema(schema)
  } catch (cause) {
    throw new TypeError(`"schema" is not valid: ${cause instanceof Error ? cause.message : ''}`, { cause })
  }
}

interface CompiledRules {
  readonly fields: ReadonlyMap<string, FieldAccess>
  readonly introspection: readonly Rule[]
}

function compileRules(options: CompileOptions): CompiledRules {
  const { schema, policy, rules = {}, introspection = 'refused' } = options
  const directives = ruleDirectivesOf(schema, options.directives ?? {})
  const collected = collectRules(directives, schema, policy, rules)
  const effective = effectiveRules(schema, policy, collected)
  const meta = introspectionRules(policy, introspection)
  const problems = [
    ...findMisplacedRules(directives, schema),
    ...collected.problems,
    ...effective.problems,
    ...meta.problems,
  ]
  if (problems.length > 0) {
    const lines = [...new Set(problems)].sort().map((line) => `\n  ${line}`)
    throw new TypeError(`the access cannot be compiled:${lines.join('')}${adviceFor(problems)}`)
  }
  return { fields: effective.fields, introspection: meta.rules }
}

const noRule = ': has no rule'

function adviceFor(problems: readonly string[]): string {
  const first = [...problems].sort().find((problem) => problem.endsWith(noRule))
  if (first === undefined) return ''
  const coordinate = first.slice(0, -noRule.length)
  return [
    '\nGive each field a rule of its own: @public, @authenticated, @requires(permissions: …) or @owner(…).',
    `Or write it in "rules": '${coordinate}': 'public', 'authenticated' or { permissions: … }.`,
  ].join('\n')
}

function introspectionRules(
  policy: AnyPolicy,
  input: 'refused' | WrittenRule,
): { readonly rules: readonly Rule[]; readonly problems: readonly string[] } {
  if (input === 'refused') return { rules: [refusedToAll(policy)], problems: [] }
  try {
    const rule = policy.rule(input)
    const problems = rule.owner || rule.credential ? ['"introspection" has no owner and is no credential'] : []
    return { rules: conjunction([rule]), problems }
  } catch (error) {
    return { rules: [], problems: [`"introspection": ${error instanceof Error ? error.message : 'cannot be read'}`] }
  }
}

/** Returns a rule that no identity satisfies. */
function refusedToAll(policy: AnyPolicy): Rule {
  return Object.freeze({ ...policy.rule('authenticated'), anyOf: [], text: 'refused' })
}
