import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { refusal } from '../refusal.ts'
import type { CoercedVariables, ExecutorVariables } from './coerce-variables.ts'
import { areMet, type Condition, type ReadVariable, readConditions } from './conditions.ts'
import { fragmentsOf } from './fragments-of.ts'
import {
  describeExcess,
  type ExceededLimit,
  type Excess,
  type LimitRules,
  limitRefusal,
  markExceeded,
} from './limits.ts'
import { type ListSizes, type ReadListSizes, readListSizes } from './list-sizes.ts'

/** The price of an operation, and its refusal if it costs too much or has a list of an impossible size. */
export interface CostVerdict {
  /** `null` if a size of a list is impossible. */
  readonly cost: number | null
  readonly error: GraphQLError | null
  /** Limits that are exceeded and only reported. */
  readonly exceeded: readonly ExceededLimit[]
}

/** Prices an operation with these variables. */
export type CostCheck = (variables: CoercedVariables) => CostVerdict

/** The assumed size of a list without a size argument. */
const unknownSize = 10

interface PricedField {
  readonly node: FieldNode
  readonly conditions: readonly Condition[]
  readonly isList: boolean
  readonly sizes: ReadListSizes | null
  readonly below: PricedGroup | null
}

/** A selection set, or a fragment with any number of spreads. */
interface PricedGroup {
  /** The number of unconditional fields without selections or sizes, which cost one each. */
  readonly leaves: number
  readonly fields: readonly PricedField[]
  readonly spreads: readonly { readonly conditions: readonly Condition[]; readonly group: PricedGroup }[]
}

export interface CostInput extends LimitRules {
  readonly schema: GraphQLSchema
}

/**
 * Creates the cost check of a validated operation. If no variable changes the cost, it is computed now and only the
 * result is kept.
 */
export function createCostCheck(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  input: CostInput,
): CostCheck {
  const pricing: Pricing = {
    schema: input.schema,
    definitions: fragmentsOf(document),
    groups: new Map(),
    hasVariables: false,
  }
  const root = priceSelections(pricing, operation.selectionSet, input.schema.getRootType(operation.operation) ?? null)
  const hasFragments = pricing.groups.size > 0
  const operationName = operation.name?.value
  const check = ({ read, values }: CostVariables): CostVerdict =>
    checkCost(root, { read, values, rules: input, operationName, costs: hasFragments ? new Map() : null, largest: 0 })
  if (pricing.hasVariables) return check
  const decided = check({ read: () => undefined, values: undefined })
  return () => decided
}

/** `undefined`: no variable is read. */
type CostVariables = Pick<CoercedVariables, 'read'> & { readonly values: ExecutorVariables | undefined }

interface Pricing {
  readonly schema: GraphQLSchema
  readonly definitions: ReadonlyMap<string, FragmentDefinitionNode>
  readonly groups: Map<string, PricedGroup>
  hasVariables: boolean
}

function priceSelections(
  pricing: Pricing,
  { selections }: SelectionSetNode,
  parent: GraphQLNamedType | null,
): PricedGroup {
  const group: OpenGroup = { leaves: 0, fields: [], spreads: [] }
  for (const selection of selections) {
    const conditions = readConditions(selection.directives)
    if (!conditions) continue
    if (conditions.length > 0) pricing.hasVariables = true
    if (selection.kind === Kind.FIELD) addField(group, priceField(pricing, selection, parent, conditions))
    else if (selection.kind === Kind.FRAGMENT_SPREAD)
      group.spreads.push({ conditions, group: priceFragment(pricing, selection.name.value) })
    else {
      const type = selection.typeCondition ? typeNamed(pricing, selection.typeCondition.name.value) : parent
      group.spreads.push({ conditions, group: priceSelections(pricing, selection.selectionSet, type) })
    }
  }
  return group
}

interface OpenGroup extends PricedGroup {
  leaves: number
  readonly fields: PricedField[]
  readonly spreads: PricedGroup['spreads'][number][]
}

function addField(group: OpenGroup, field: PricedField | null): void {
  if (field && isLeaf(field)) group.leaves += 1
  else if (field) group.fields.push(field)
}

function isLeaf({ conditions, sizes, below }: PricedField): boolean {
  return conditions.length === 0 && !sizes && !below
}

function priceFragment(pricing: Pricing, name: string): PricedGroup {
  const known = pricing.groups.get(name)
  if (known) return known
  const fragment = pricing.definitions.get(name)
  if (!fragment) throw new TypeError('the document was not validated')
  const type = typeNamed(pricing, fragment.typeCondition.name.value)
  const group = priceSelections(pricing, fragment.selectionSet, type)
  pricing.groups.set(name, group)
  return group
}

function typeNamed({ schema }: Pricing, name: string): GraphQLNamedType | null {
  return schema.getType(name) ?? null
}

/** Introspection is free, because a rule of GraphQL bounds it. */
function priceField(
  pricing: Pricing,
  node: FieldNode,
  parent: GraphQLNamedType | null,
  conditions: readonly Condition[],
): PricedField | null {
  const name = node.name.value
  if (name === '__schema' || name === '__type') return null
  const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
  const sizes = field ? readListSizes([field, ...implementations(pricing, parent, name)], node) : null
  if (sizes?.hasVariables) pricing.hasVariables = true
  const below =
    field && node.selectionSet ? priceSelections(pricing, node.selectionSet, getNamedType(field.type)) : null
  return { node, conditions, sizes, below, isList: field !== undefined && isListType(getNullableType(field.type)) }
}

/** The fields that implement a field of an interface: they may have more arguments and other defaults. */
function implementations(
  { schema }: Pricing,
  parent: GraphQLNamedType | null,
  name: string,
): readonly GraphQLField<unknown, unknown>[] {
  if (!isInterfaceType(parent)) return []
  return schema.getPossibleTypes(parent).flatMap((type) => type.getFields()[name] ?? [])
}

interface Costing {
  readonly read: ReadVariable
  readonly values: ExecutorVariables | undefined
  readonly rules: LimitRules
  /**
   * The cost of a group depends on the size argument of the field around it. `null`: without fragments each group
   * occurs once.
   */
  readonly costs: Map<PricedGroup, Map<number | null, number>> | null
  readonly operationName: string | undefined
  /** The largest size in an argument so far. */
  largest: number
}

/** Thrown by the walk, which then has no cost. */
class ImpossibleSize {
  readonly node: FieldNode
  readonly argument: string
  readonly size: number

  constructor(node: FieldNode, argument: string, size: number) {
    this.node = node
    this.argument = argument
    this.size = size
  }
}

function checkCost(root: PricedGroup, costing: Costing): CostVerdict {
  const { rules, operationName } = costing
  const { limits } = rules
  try {
    const cost = Math.min(costOf(root, null, costing), Number.MAX_SAFE_INTEGER)
    const excess = { limit: 'cost', value: cost, operationName } as const
    if (cost > limits.cost && !limits.report) return { cost, error: limitRefusal(excess, rules), exceeded: [] }
    return { cost, error: null, exceeded: reportable(excess, costing) }
  } catch (error) {
    if (error instanceof ImpossibleSize) return { cost: null, error: pageSizeError(error, costing), exceeded: [] }
    throw error
  }
}

function reportable(cost: Excess, { rules: { limits }, largest, operationName }: Costing): readonly ExceededLimit[] {
  if (!limits.report) return nothingExceeded
  const excesses: readonly Excess[] = [cost, { limit: 'pageSize', value: largest, operationName }]
  const exceeded = excesses.filter(({ limit, value }) => Number(value) > limits[limit])
  return exceeded.map((excess) => {
    const code = excess.limit === 'cost' ? 'QUERY_LIMIT_EXCEEDED' : 'BAD_USER_INPUT'
    return { ...describeExcess(excess, limits, code), cost: cost.value }
  })
}

const nothingExceeded: readonly ExceededLimit[] = []

/** If the argument is not in the document, its default is used, and its name is hidden. */
function pageSizeError({ node, argument, size }: ImpossibleSize, { rules, operationName }: Costing): GraphQLError {
  const { limits, areDetailsTold } = rules
  const isNamed = areDetailsTold || node.arguments?.some(({ name }) => name.value === argument)
  const what = isNamed ? `"${argument}"` : 'The size of a list'
  const details = { message: `${what} must be between 0 and ${limits.pageSize}.`, ...(isNamed && { field: argument }) }
  const error = refusal('BAD_USER_INPUT', details, { nodes: [node], source: undefined, positions: undefined })
  if (!(size > limits.pageSize)) return error
  return markExceeded(
    error,
    describeExcess({ limit: 'pageSize', value: size, operationName }, limits, 'BAD_USER_INPUT'),
  )
}

/** Computes each group once for each requested size. Sums saturate: `Infinity` is over every limit. */
function costOf(group: PricedGroup, size: number | null, costing: Costing): number {
  const { costs } = costing
  if (!costs) return sumOf(group, size, costing)
  const known = costs.get(group) ?? new Map<number | null, number>()
  costs.set(group, known)
  const cost = known.get(size) ?? sumOf(group, size, costing)
  known.set(size, cost)
  return cost
}

function sumOf({ leaves, fields, spreads }: PricedGroup, size: number | null, costing: Costing): number {
  let sum = leaves
  for (const field of fields) if (areMet(field.conditions, costing.read)) sum += costOfField(field, size, costing)
  for (const { conditions, group } of spreads) if (areMet(conditions, costing.read)) sum += costOf(group, size, costing)
  return sum
}

/** A size on a field that is not a list, for example on a connection, applies to the lists in its type. */
function costOfField({ node, sizes, isList, below }: PricedField, size: number | null, costing: Costing): number {
  const own = sizes ? largestOf(sizes.read(costing.values), node, costing) : null
  if (!below) return 1
  return isList ? 1 + (own ?? size ?? unknownSize) * costOf(below, null, costing) : 1 + costOf(below, own, costing)
}

function largestOf(sizes: ListSizes, node: FieldNode, costing: Costing): number | null {
  const { pageSize, report } = costing.rules.limits
  for (const [name, size] of sizes) {
    if (!(size >= 0 && (size <= pageSize || report))) throw new ImpossibleSize(node, name, size)
    costing.largest = Math.max(costing.largest, size)
  }
  return sizes.length > 0 ? Math.max(...sizes.map(([, size]) => size)) : null
}
