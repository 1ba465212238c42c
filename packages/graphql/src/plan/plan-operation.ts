import type { Rule } from '@latchkey/rbac'
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { type Condition, readConditions } from '../documents/conditions.ts'
import { fragmentsOf } from '../documents/fragments-of.ts'
import { conjunction, type FieldAccess } from '../rules/effective-rules.ts'
import type { OperationPlan, PlannedField, PlannedGroup } from './plan.ts'
import { createPossibleTypeSets, type PossibleTypeSets, type PossibleTypes } from './possible-types.ts'
import { reachFields } from './reach-fields.ts'

/** The inputs of the walk. */
export interface PlanInput {
  readonly schema: GraphQLSchema
  readonly access: ReadonlyMap<string, FieldAccess>
  readonly introspection: readonly Rule[]
}

interface Walk extends PlanInput {
  readonly sets: PossibleTypeSets
  readonly definitions: ReadonlyMap<string, FragmentDefinitionNode>
  readonly used: Map<string, FragmentDefinitionNode>
  readonly groups: Map<string, PlannedGroup>
  readonly met: Map<string, MetField>
  readonly groupsOfFragment: Map<string, number>
  readonly variables: Set<string>
  readonly rootKeys: Set<string>
  /** The coordinates of fields that are null for some identities. */
  readonly nullable: Set<string>
  readonly credentials: { readonly node: FieldNode; readonly isRoot: boolean }[]
}

interface MetField {
  readonly isCredential: boolean
  readonly orNull: boolean
  readonly rules: readonly Rule[]
  /** The types that the selections below can have. */
  readonly returned: PossibleTypes
}

/**
 * A fragment is walked once for each set of types that it can have, and after this number of sets for all types that it
 * allows.
 */
const setsPerFragment = 32

/**
 * Plans an operation of a validated document, with a walk over every selection set once, and over every fragment once
 * for each set of possible types. So it is linear for any number of spreads.
 */
export function planOperation(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  input: PlanInput,
): OperationPlan {
  const rootType = input.schema.getRootType(operation.operation)
  if (!rootType) throw new TypeError('the operation was not validated')
  const walk: Walk = {
    ...input,
    sets: createPossibleTypeSets(input.schema),
    definitions: fragmentsOf(document),
    used: new Map(),
    groups: new Map(),
    met: new Map(),
    groupsOfFragment: new Map(),
    variables: new Set(),
    rootKeys: new Set(),
    nullable: new Set(),
    credentials: [],
  }
  const root = walkSelections(walk, operation.selectionSet, walk.sets.of(rootType), true)
  const orNull = walk.nullable.size > 0
  const always = walk.variables.size === 0 && !orNull ? reachFields(root, () => undefined) : null
  return {
    operation,
    rootType,
    fragments: walk.used,
    conditionVariables: [...walk.variables],
    root: always ? nothing : root,
    always,
    credential: walk.credentials.length > 0,
    orNull,
    misuse: findMisuse(walk),
  }
}

/** The fields that are always reached are known, so later walks start from no field. */
const nothing: PlannedGroup = { fields: [], spreads: [] }

/**
 * Returns a credential field that is not the only root field, under one name. `__typename` and fields that `@skip`
 * leaves out count.
 */
function findMisuse({ credentials, rootKeys }: Walk): FieldNode | null {
  const nested = credentials.find(({ isRoot }) => !isRoot)
  return nested?.node ?? (rootKeys.size > 1 ? (credentials[0]?.node ?? null) : null)
}

function walkSelections(
  walk: Walk,
  { selections }: SelectionSetNode,
  possible: PossibleTypes,
  isRoot: boolean,
): PlannedGroup {
  const fields: PlannedField[] = []
  const spreads: { conditions: readonly Condition[]; group: PlannedGroup }[] = []
  for (const selection of selections) {
    const conditions = readConditions(selection.directives)
    if (isRoot && selection.kind === Kind.FIELD) walk.rootKeys.add(keyOf(selection))
    if (selection.kind === Kind.FIELD) {
      const field = walkField(walk, selection, possible, isRoot, conditions)
      if (field) fields.push(field)
      continue
    }
    const group = walkFragment(walk, selection, possible, isRoot)
    if (conditions && group && asksForSomething(group)) spreads.push({ conditions: noted(walk, conditions), group })
  }
  return { fields, spreads }
}

function asksForSomething({ fields, spreads }: PlannedGroup): boolean {
  return fields.length > 0 || spreads.length > 0
}

/** Only conditions with an effect are conditions of the plan. */
function noted(walk: Walk, conditions: readonly Condition[]): readonly Condition[] {
  for (const { variable } of conditions) walk.variables.add(variable)
  return conditions
}

function walkField(
  walk: Walk,
  node: FieldNode,
  possible: PossibleTypes,
  isRoot: boolean,
  conditions: readonly Condition[] | null,
): PlannedField | null {
  const name = node.name.value
  if (name === '__typename') return null
  const key = keyOf(node)
  if (name === '__schema' || name === '__type') {
    const rules = walk.introspection
    return conditions && rules.length > 0
      ? { key, node, conditions: noted(walk, conditions), rules, orNull: false, below: null }
      : null
  }
  const { rules, isCredential, orNull, returned } = meet(walk, possible, name)
  if (isCredential) walk.credentials.push({ node, isRoot })
  const group = node.selectionSet && walkSelections(walk, node.selectionSet, returned, false)
  const below = !isCredential && group && asksForSomething(group) ? group : null
  if (!conditions || (rules.length === 0 && !below)) return null
  if (orNull) walk.nullable.add(name)
  return { key, node, conditions: noted(walk, conditions), rules, orNull, below }
}

/** Returns the rules of a field for all object types that the selection can have. */
function meet(walk: Walk, possible: PossibleTypes, name: string): MetField {
  const id = `${possible.id} ${name}`
  const known = walk.met.get(id)
  if (known) return known
  const accesses = possible.types.map((type) => accessOf(walk, type, name))
  const isCredential = accesses.some((access) => access.isCredential)
  const returned = possible.types.flatMap((type) => {
    const field = type.getFields()[name]
    return field ? [getNamedType(field.type)] : []
  })
  const rules = conjunction(accesses.flatMap((access) => (isCredential ? access.own : access.rules)))
  const met = {
    isCredential,
    rules,
    orNull: rules.some((rule) => rule.orNull),
    returned: walk.sets.union(returned),
  }
  walk.met.set(id, met)
  return met
}

function accessOf({ access }: Walk, type: GraphQLObjectType, name: string): FieldAccess {
  const found = access.get(`${type.name}.${name}`)
  if (!found) throw new TypeError(`${type.name}.${name} was not there when the access was compiled`)
  return found
}

function walkFragment(
  walk: Walk,
  selection: Exclude<SelectionNode, FieldNode>,
  possible: PossibleTypes,
  isRoot: boolean,
): PlannedGroup | null {
  if (selection.kind === Kind.INLINE_FRAGMENT) {
    const met = narrow(walk, possible, selection.typeCondition?.name.value)
    return met.types.length === 0 ? null : walkSelections(walk, selection.selectionSet, met, isRoot)
  }
  const name = selection.name.value
  const fragment = walk.definitions.get(name)
  if (!fragment) throw new TypeError('the document was not validated')
  walk.used.set(name, fragment)
  const condition = fragment.typeCondition.name.value
  const met = narrow(walk, possible, condition)
  return met.types.length === 0 ? null : groupOf(walk, fragment, met, isRoot)
}

function groupOf(walk: Walk, fragment: FragmentDefinitionNode, met: PossibleTypes, isRoot: boolean): PlannedGroup {
  const name = fragment.name.value
  const count = walk.groupsOfFragment.get(name) ?? 0
  const known = walk.groups.get(`${name} ${met.id} ${isRoot}`)
  if (known) return known
  const isBounded = count >= setsPerFragment && !isRoot
  const types = isBounded ? walk.sets.of(conditionOf(walk, fragment.typeCondition.name.value)) : met
  const id = `${name} ${types.id} ${isRoot}`
  const group = walk.groups.get(id) ?? walkSelections(walk, fragment.selectionSet, types, isRoot)
  walk.groups.set(id, group)
  walk.groupsOfFragment.set(name, count + 1)
  return group
}

function narrow(walk: Walk, possible: PossibleTypes, condition: string | undefined): PossibleTypes {
  return condition === undefined
    ? possible
    : walk.sets.intersection(possible, walk.sets.of(conditionOf(walk, condition)))
}

function conditionOf({ schema }: Walk, name: string): Parameters<PossibleTypeSets['of']>[0] {
  const type = schema.getType(name)
  if (!type) throw new TypeError('the document was not validated')
  return type
}

function keyOf(node: FieldNode): string {
  return (node.alias ?? node.name).value
}
