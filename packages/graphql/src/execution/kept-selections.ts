import {
  BREAK,
  type DocumentNode,
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  type GraphQLObjectType,
  getNullableType,
  isLeafType,
  Kind,
  visit,
} from 'graphql'

// Facts about the fields of an operation that are the same for each request, computed by the first.

/** The nodes of a field under one response name, as `graphql` collects them. */
export type FieldDetails = readonly { readonly node: FieldNode }[]

/** The fields that `graphql` collects for an object type, by response name. */
export type GroupedFields = ReadonlyMap<string, FieldDetails>

/** One field of an object type, and how it is executed. */
export interface KeptField {
  readonly name: string
  readonly details: FieldDetails
  readonly nodes: readonly [FieldNode, ...FieldNode[]]
  readonly definition: GraphQLField<unknown, unknown>
  readonly resolve: GraphQLFieldResolver<unknown, unknown>
  /** The field has no arguments and uses the default resolver. */
  readonly isProperty: boolean
  /** The type of the field if it is a scalar or an enum; else `null`. */
  readonly leaf: GraphQLLeafType | null
}

/** The fields of an object type. Other code can read it as the map of `graphql`. */
export class KeptFields extends Map<string, FieldDetails> {
  readonly fields: readonly KeptField[]
  /** An object with a prototype cannot have a member of this name. */
  readonly hasProto: boolean

  constructor(grouped: GroupedFields, fields: readonly KeptField[]) {
    super(grouped)
    this.fields = fields
    this.hasProto = grouped.has('__proto__')
  }
}

type FieldOf = (type: GraphQLObjectType, name: string) => GraphQLField<unknown, unknown> | undefined

/** The fields of an operation, by the nodes above them and by object type. */
export class KeptSelections {
  readonly #fieldOf: FieldOf
  readonly #known = new Map<FieldDetails | null, Map<GraphQLObjectType, KeptFields>>()

  constructor(fieldOf: FieldOf) {
    this.#fieldOf = fieldOf
  }

  /** @param above the nodes that have these selections; `null`: the root of the operation. */
  get(above: FieldDetails | null, type: GraphQLObjectType): KeptFields | undefined {
    return this.#known.get(above)?.get(type)
  }

  keep(above: FieldDetails | null, type: GraphQLObjectType, grouped: GroupedFields): KeptFields {
    const fields = [...grouped].flatMap(([name, details]) => this.#toField(type, name, details) ?? [])
    const kept = new KeptFields(grouped, fields)
    const byType = this.#known.get(above) ?? new Map<GraphQLObjectType, KeptFields>()
    this.#known.set(above, byType.set(type, kept))
    return kept
  }

  #toField(type: GraphQLObjectType, name: string, details: FieldDetails): KeptField | null {
    const [first, ...others] = details.map(({ node }) => node)
    const definition = first && this.#fieldOf(type, first.name.value)
    if (!definition) return null
    const { resolve = defaultFieldResolver, args } = definition
    const nullable = getNullableType(definition.type)
    const isProperty = resolve === defaultFieldResolver && args.length === 0
    const leaf = isLeafType(nullable) ? nullable : null
    return { name, details, nodes: [first, ...others], definition, resolve, isProperty, leaf }
  }
}

/** Whether variables decide which fields of a document are executed. */
export function hasConditions(document: DocumentNode): boolean {
  if (document.loc && !document.loc.source.body.includes('@')) return false
  let found = false
  visit(document, {
    Directive({ arguments: args = [] }) {
      if (!args.some(({ value }) => value.kind === Kind.VARIABLE)) return undefined
      found = true
      return BREAK
    },
  })
  return found
}
