import type { AnyPolicy, Rule, RuleOf } from '@latchkey/rbac'
import {
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql'
import { readDirectiveRule, type WrittenRule } from './directive-rules.ts'
import { type Annotated, directivesOf } from './misplaced-rules.ts'
import type { RuleDirectives } from './rule-directives.ts'

/** Rules by coordinate, for a schema that cannot be changed: `Query.me`, or `Account` for all fields of a type. */
export type RuleMap<P extends AnyPolicy> = { readonly [coordinate: string]: RuleOf<P> }

/** A rule map of any policy. */
export type WrittenRules = { readonly [coordinate: string]: WrittenRule }

/** Every written rule, by coordinate, in its normal form. */
export interface CollectedRules {
  readonly rules: ReadonlyMap<string, Rule>
  /** The coordinates of rules that cannot be read, each of which is a reported problem. */
  readonly unreadable: ReadonlySet<string>
  readonly problems: readonly string[]
}

/** Object types, whose fields are executed, and interfaces, which declare fields of object types. */
export type FieldsType = GraphQLObjectType | GraphQLInterfaceType

export function fieldsTypesOf(schema: GraphQLSchema): readonly FieldsType[] {
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type))
  return types.filter((type) => isObjectType(type) || isInterfaceType(type))
}

/** Reads the three sources, and reports two different rules for one coordinate as a problem. */
export function collectRules(
  directives: RuleDirectives,
  schema: GraphQLSchema,
  policy: AnyPolicy,
  map: WrittenRules,
): CollectedRules {
  const rules = new Map<string, Rule>()
  const unreadable = new Set<string>()
  const problems: string[] = []
  const external = new Map(Object.entries(map))
  const collect = (coordinate: string, element: Annotated): void => {
    const report = (problem: string) => void problems.push(`${coordinate}: ${problem}`)
    const before = problems.length
    const written = [
      readDirectiveRule(directives, directivesOf(element), report),
      element.extensions?.auth as WrittenRule | undefined,
      external.get(coordinate),
    ]
    const normal = written.flatMap((rule) =>
      rule === null || rule === undefined ? [] : normalise(policy, rule, report),
    )
    external.delete(coordinate)
    const [first, ...others] = normal
    for (const other of others) {
      if (other.text !== first?.text) report(`two sources disagree: "${first?.text}" and "${other.text}"`)
    }
    if (first) rules.set(coordinate, first)
    else if (problems.length > before) unreadable.add(coordinate)
  }
  for (const type of fieldsTypesOf(schema)) {
    collect(type.name, type)
    for (const field of Object.values(type.getFields())) collect(`${type.name}.${field.name}`, field)
  }
  for (const coordinate of external.keys())
    problems.push(`${coordinate}: "rules" names a coordinate that does not exist`)
  return { rules, unreadable, problems }
}

function normalise(policy: AnyPolicy, rule: WrittenRule, report: (problem: string) => void): Rule[] {
  try {
    return [policy.rule(rule)]
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    report(error.message)
    return []
  }
}
