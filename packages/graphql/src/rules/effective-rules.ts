import type { AnyPolicy, Rule } from '@latchkey/rbac'
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { Access } from '../access-contract.ts'
import { type CollectedRules, type FieldsType, fieldsTypesOf } from './collect-rules.ts'
import { ownerArgumentProblem } from './owner-argument.ts'

/** All rules of a field of an object type. */
export type FieldAccess = Access['fields'][number]

export interface EffectiveRules {
  readonly fields: ReadonlyMap<string, FieldAccess>
  readonly problems: readonly string[]
}

type Written = ReadonlyMap<string, Rule>

/**
 * Collects the rules that reach each field of each object type: the rule of the field, of its type, of the same field
 * and type on every interface, and of the returned type. For an abstract type these are the rules of all possible
 * types, because `__typename` alone would reveal which type it is.
 */
export function effectiveRules(
  schema: GraphQLSchema,
  policy: AnyPolicy,
  { rules: written, unreadable }: CollectedRules,
): EffectiveRules {
  const firstParty = {
    always: policy.rule({ firstParty: true, impersonation: true }),
    beforeEnrollment: policy.rule({ firstParty: true, beforeEnrollment: true, impersonation: true }),
  }
  const fields = new Map<string, FieldAccess>()
  const problems = [...coverageProblems(schema, written, unreadable)]
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      const access = closeMutation(
        accessOf(schema, written, type, field),
        type === schema.getMutationType(),
        firstParty,
      )
      fields.set(access.coordinate, access)
      problems.push(...fieldProblems(schema, written, type, field, access))
    }
  }
  return { fields, problems }
}

function accessOf(
  schema: GraphQLSchema,
  written: Written,
  type: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
): FieldAccess {
  const coordinate = `${type.name}.${field.name}`
  const promised = type.getInterfaces().map(({ name }) => written.get(`${name}.${field.name}`))
  const reaching = [written.get(coordinate), ...typeRules(written, type), ...promised]
  const own = conjunction(reaching)
  const returned = conjunction(returnedRules(schema, written, getNamedType(field.type)))
  const isCredential = reaching.some((rule) => rule?.credential === true)
  return { coordinate, own, returned, rules: conjunction([...own, ...returned]), isCredential }
}

/** The rule that closes a mutation. It allows accounts before enrollment if the rules of the mutation do. */
interface FirstPartyRules {
  readonly always: Rule
  readonly beforeEnrollment: Rule
}

/**
 * Closes a mutation to third parties if its rules name no permission, because ownership alone is not enough.
 * Administrators who act for an account are not third parties.
 */
function closeMutation(access: FieldAccess, isMutation: boolean, firstParty: FirstPartyRules): FieldAccess {
  const { own, returned } = access
  const isDecided = own.length === 0 || own.some((rule) => rule.client || rule.firstParty || namesPermission(rule))
  if (!isMutation || isDecided) return access
  const isBefore = own.every((rule) => rule.beforeEnrollment)
  const closed = conjunction([...own, isBefore ? firstParty.beforeEnrollment : firstParty.always])
  return { ...access, own: closed, rules: conjunction([...closed, ...returned]) }
}

/** Whether each grant that meets the rule has a permission. */
function namesPermission({ anyOf, owner, scope }: Rule): boolean {
  if (anyOf !== null) return true
  if (scope !== null) return scope.every(({ permissions }) => permissions.names.length > 0)
  return owner?.lifted.flatMap((set) => set.names).some((name) => name !== 'ownership:bypass') ?? false
}

/** Returns the rules without public rules and without repetitions. */
export function conjunction(rules: readonly (Rule | undefined)[]): readonly Rule[] {
  const byText = new Map(rules.flatMap((rule) => (rule && !rule.public ? [[rule.text, rule] as const] : [])))
  return [...byText.values()]
}

function typeRules(written: Written, type: GraphQLObjectType): readonly (Rule | undefined)[] {
  return [type, ...type.getInterfaces()].map(({ name }) => written.get(name))
}

function returnedRules(schema: GraphQLSchema, written: Written, type: GraphQLNamedType): readonly (Rule | undefined)[] {
  if (isObjectType(type)) return typeRules(written, type)
  if (!isAbstractType(type)) return []
  const possible = schema.getPossibleTypes(type).flatMap((object) => typeRules(written, object))
  return [written.get(type.name), ...possible]
}

function* coverageProblems(
  schema: GraphQLSchema,
  written: Written,
  unreadable: ReadonlySet<string>,
): Generator<string> {
  for (const type of fieldsTypesOf(schema)) {
    const rule = written.get(type.name)
    if (rule?.public) yield `${type.name}: "public" on a type covers none of its fields: write it on each`
    if (rule?.owner) yield `${type.name}: an owner rule stands on fields`
    if (rule?.credential) yield `${type.name}: "credential" stands on root fields`
    if (rule?.orNull) yield `${type.name}: "orNull" stands on fields of Query`
    for (const { name } of Object.values(type.getFields())) {
      const coordinate = `${type.name}.${name}`
      if (!written.has(coordinate) && !unreadable.has(coordinate)) yield `${coordinate}: has no rule`
      yield* ownRuleProblems(schema, written, type, name)
    }
  }
}

function* ownRuleProblems(schema: GraphQLSchema, written: Written, type: FieldsType, name: string): Generator<string> {
  const rule = written.get(`${type.name}.${name}`)
  if (rule?.credential && type !== schema.getQueryType() && type !== schema.getMutationType()) {
    yield `${type.name}.${name}: "credential" stands on fields of Query and Mutation`
  }
  if (!rule?.orNull) return
  if (type !== schema.getQueryType()) yield `${type.name}.${name}: "orNull" stands on fields of Query`
  else if (isNonNullType(type.getFields()[name]?.type))
    yield `${type.name}.${name}: "orNull" needs a type that can be null`
}

function* fieldProblems(
  schema: GraphQLSchema,
  written: Written,
  type: GraphQLObjectType,
  field: GraphQLField<unknown, unknown>,
  { coordinate, rules }: FieldAccess,
): Generator<string> {
  const [demanding] = conjunction(typeRules(written, type))
  if (written.get(coordinate)?.public && demanding) {
    yield `${coordinate}: is "public" in a type that asks for "${demanding.text}"`
  }
  for (const { owner } of rules) {
    if (!owner) continue
    const problem = ownerArgumentProblem(field, owner)
    if (problem) yield `${coordinate}: ${problem}`
    if (!owner.argument && isRootType(schema, type)) {
      yield `${coordinate}: a root field has no parent object that could be owned: name an "argument"`
    }
  }
}

export function isRootType(schema: GraphQLSchema, type: GraphQLNamedType): boolean {
  return type === schema.getQueryType() || type === schema.getMutationType() || type === schema.getSubscriptionType()
}
