import type { Rule } from '@latchkey/rbac'
import type { FieldNode, FragmentDefinitionNode, GraphQLObjectType, OperationDefinitionNode } from 'graphql'
import type { OperationVerdict } from '../access-contract.ts'
import type { Condition } from '../documents/conditions.ts'

/** A field of the document that asks for something, or below which something does. */
export interface PlannedField {
  readonly key: string
  readonly node: FieldNode
  readonly conditions: readonly Condition[]
  /** All of these; empty: public. */
  readonly rules: readonly Rule[]
  /** It is null, with nothing below it, to an identity that does not satisfy them. */
  readonly orNull: boolean
  readonly below: PlannedGroup | null
}

/** One selection set, or one fragment for one set of possible types, however often it is spread. */
export interface PlannedGroup {
  readonly fields: readonly PlannedField[]
  readonly spreads: readonly { readonly conditions: readonly Condition[]; readonly group: PlannedGroup }[]
}

/** What an operation asks for: worked out once, independent of who asks and with which variables. */
export interface OperationPlan {
  readonly operation: OperationDefinitionNode
  readonly rootType: GraphQLObjectType
  /** The fragments that the operation may execute, for the seal. */
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** The variables that decide what is reached, for the seal. */
  readonly conditionVariables: readonly string[]
  readonly root: PlannedGroup
  /** What is reached when neither a variable nor the identity decides anything; else `null`. */
  readonly always: readonly ReachedField[] | null
  readonly credential: boolean
  /** A field of it is null to some identities. */
  readonly orNull: boolean
  /** Why the credential field may not be asked for like this. */
  readonly misuse: FieldNode | null
}

/** A field that asks for something, where it was first met. */
export interface ReachedField {
  readonly node: FieldNode
  readonly path: readonly string[]
  readonly rules: readonly Rule[]
}

/** What a server needs to know of an operation to answer it. */
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
