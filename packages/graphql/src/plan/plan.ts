import type { Rule } from '@latchkey/rbac'
import type { FieldNode, FragmentDefinitionNode, GraphQLObjectType, OperationDefinitionNode } from 'graphql'
import type { OperationVerdict } from '../access-contract.ts'
import type { Condition } from '../documents/conditions.ts'

/** A field of the document that has rules, or that is above such fields. */
export interface PlannedField {
  readonly key: string
  readonly node: FieldNode
  readonly conditions: readonly Condition[]
  /** All rules of the field; empty: public. */
  readonly rules: readonly Rule[]
  /** For identities that do not satisfy the rules, the field is null and the fields below it are not reached. */
  readonly orNull: boolean
  readonly below: PlannedGroup | null
}

/** A selection set, or a fragment for a set of possible types, with any number of spreads. */
export interface PlannedGroup {
  readonly fields: readonly PlannedField[]
  readonly spreads: readonly { readonly conditions: readonly Condition[]; readonly group: PlannedGroup }[]
}

/** The requirements of an operation, independent of identity and variables, computed once. */
export interface OperationPlan {
  readonly operation: OperationDefinitionNode
  readonly rootType: GraphQLObjectType
  /** The fragments that the operation may execute, for the seal. */
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** The variables that decide which fields are reached, for the seal. */
  readonly conditionVariables: readonly string[]
  readonly root: PlannedGroup
  /** The reached fields if neither a variable nor the identity changes them; else `null`. */
  readonly always: readonly ReachedField[] | null
  readonly credential: boolean
  /** Whether a field of the operation is null for some identities. */
  readonly orNull: boolean
  /** The credential field that cannot be selected in this way. */
  readonly misuse: FieldNode | null
}

/** A field that has rules, at its first occurrence. */
export interface ReachedField {
  readonly node: FieldNode
  readonly path: readonly string[]
  readonly rules: readonly Rule[]
}

export type PreparedPlan = NonNullable<OperationVerdict['plan']>

/** Returns the public part of a plan. */
export function describePlan(
  { credential, orNull, operation: { operation } }: OperationPlan,
  reached: readonly ReachedField[],
  options: Pick<PreparedPlan, 'ownership'>,
): PreparedPlan {
  const ownership = operation === 'query' ? options.ownership : 'partial'
  return { credential, operation, ownership, requiresIdentity: orNull || reached.length > 0 }
}
