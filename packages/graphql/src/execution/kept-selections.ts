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

// What of the fields of an operation is the same for each request, worked out by the first one that reaches them.

/** The nodes that ask for one field under one name, as `graphql` collects them. */
export type FieldDetails = readonly { readonly node: FieldNode }[]

/** The fields that `graphql` collects for one object type, by the names that they have in the answer. */
export type GroupedFields = ReadonlyMap<string, FieldDetails>

/** One field of an object type, and how it is executed. */
export interface KeptField {
  readonly name: string
  readonly details: FieldDetails
  readonly nodes: readonly [FieldNode, ...FieldNode[]]
  readonly definition: GraphQLField<unknown, unknown>
  readonly resolve: GraphQLFieldResolver<unknown, unknown>
  /** It has no arguments and no resolver of its own. */
  readonly isProperty: boolean
  /** Its type where that is a scalar or an enum; `null`: it is another. */
  readonly leaf: GraphQLLeafType | null
}

/** The fields of one object type; to what does not know better, a map as `graphql` made it. */
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

export interface KeptSelectionsOptions {
  readonly fieldOf: (type: GraphQLObjectType, name: string) => GraphQLField<unknown, unknown> | undefined
  /** Called with what it takes to keep all, whenever that has grown. */
  readonly onGrown: (bytes: number) => void
}

/** The fields of one operation, by what asks for them and by the object type that they are asked of. */
export class KeptSelections {
  readonly #options: KeptSelectionsOptions
  readonly #known = new Map<FieldDetails | null, Map<GraphQLObjectType, KeptFields>>()
  #bytes = bytesOfOperation

  constructor(options: KeptSelectionsOptions) {
    this.#options = options
  }

  /** @param above the nodes whose selections these are; `null`: those of the operation. */
  get(above: FieldDetails | null, type: GraphQLObjectType): KeptFields | undefined {
    return this.#known.get(above)?.get(type)
  }

  keep(above: FieldDetails | null, type: GraphQLObjectType, grouped: GroupedFields): KeptFields {
    const fields = [...grouped].flatMap(([name, details]) => this.#fieldOf(type, name, details) ?? [])
    const kept = new KeptFields(grouped, fields)
    const byType = this.#known.get(above) ?? new Map<GraphQLObjectType, KeptFields>()
    this.#known.set(above, byType.set(type, kept))
    if (this.#known.size === 1 && byType.size === 1) this.#bytes += bytesOfText(grouped)
    this.#bytes += bytesOfFields + bytesOfField * fields.length
    this.#options.onGrown(this.#bytes)
    return kept
  }

  #fieldOf(type: GraphQLObjectType, name: string, details: FieldDetails): KeptField | null {
    const [first, ...others] = details.map(({ node }) => node)
    const definition = first && this.#options.fieldOf(type, first.name.value)
    if (!definition) return null
    const { resolve = defaultFieldResolver, args } = definition
    const nullable = getNullableType(definition.type)
    const isProperty = resolve === defaultFieldResolver && args.length === 0
    const leaf = isLeafType(nullable) ? nullable : null
    return { name, details, nodes: [first, ...others], definition, resolve, isProperty, leaf }
  }
}

/** What a 64-bit V8 takes, rather too much than too little. */
const bytesOfOperation = 700
const bytesOfFields = 700
const bytesOfField = 450
const bytesOfCharacter = 30

/** A node keeps all of its document: the text, every token of it, and the nodes beside it. */
function bytesOfText(grouped: GroupedFields): number {
  const [details = []] = grouped.values()
  return bytesOfCharacter * (details[0]?.node.loc?.source.body.length ?? 0)
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
