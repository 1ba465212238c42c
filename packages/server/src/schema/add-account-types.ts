import { authDirectives } from '@latchkey/graphql'
import { checkSchema } from '@latchkey/graphql/internal'
import {
  type DefinitionNode,
  extendSchema,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type ObjectTypeDefinitionNode,
  OperationTypeNode,
  parse,
} from 'graphql'

export interface AccountTypes {
  /** The types of the accounts, and their fields of `Query` and `Mutation`, with their rules. */
  readonly typeDefs: string
  readonly resolvers: Readonly<Record<string, object>>
  /** The application's rules by coordinate, without the account fields. */
  readonly rules: Readonly<Record<string, unknown>>
}

/**
 * Returns a copy of a schema with the types of the accounts added. Definitions of the schema are neither replaced nor
 * merged, and its rules are for its own coordinates: a rule of the accounts cannot be loosened unnoticed.
 *
 * @throws TypeError that names what the schema already has, and the rules for coordinates of the accounts.
 */
export function addAccountTypes(schema: GraphQLSchema, { typeDefs, resolvers, rules }: AccountTypes): GraphQLSchema {
  checkSchema(schema)
  const ours = parse(typeDefs, { noLocation: true }).definitions.filter(isNamed)
  checkTakenNames(schema, ours)
  checkRuleNames(schema, ours, Object.keys(rules))
  const definitions: DefinitionNode[] = [
    ...missingDirectives(schema),
    ...missingRoots(schema),
    ...ours.map((definition) => toExtension(schema, definition)),
  ]
  const extended = extendSchema(schema, { kind: Kind.DOCUMENT, definitions })
  for (const [name, fields] of Object.entries(resolvers)) {
    const type = extended.getType(rootOf(schema, name)?.name ?? name)
    if (isObjectType(type)) attach(type, fields)
  }
  return extended
}

type NamedDefinition = DefinitionNode & { readonly name: { readonly value: string } }

function isNamed(definition: DefinitionNode): definition is NamedDefinition {
  return 'name' in definition && definition.name !== undefined
}

const rootNames = ['Query', 'Mutation'] as const
type RootName = (typeof rootNames)[number]

function isRootName(name: string): name is RootName {
  return (rootNames as readonly string[]).includes(name)
}

/** The type that the schema uses for `Query` or `Mutation`, under any name. */
function rootOf(schema: GraphQLSchema, name: string): GraphQLObjectType | null {
  if (name === 'Query') return schema.getQueryType() ?? null
  return (name === 'Mutation' ? schema.getMutationType() : null) ?? null
}

function fieldsOf(definition: DefinitionNode): readonly string[] {
  return 'fields' in definition ? (definition.fields ?? []).map(({ name }) => name.value) : []
}

/** The coordinates of the accounts, by the names of the schema's root types. */
function coordinatesOf(schema: GraphQLSchema, definition: NamedDefinition): readonly string[] {
  const { value: name } = definition.name
  if (!isRootName(name)) return [name]
  const root = rootOf(schema, name)?.name ?? name
  return fieldsOf(definition).map((field) => `${root}.${field}`)
}

function checkTakenNames(schema: GraphQLSchema, ours: readonly NamedDefinition[]): void {
  const taken = ours.flatMap((definition) => {
    const { value: name } = definition.name
    const root = rootOf(schema, name)
    if (!root) return schema.getType(name) ? [name] : []
    return fieldsOf(definition)
      .filter((field) => field in root.getFields())
      .map((field) => `${root.name}.${field}`)
  })
  if (taken.length === 0) return
  const names = [...new Set(taken)].join(', ')
  throw new TypeError(`"schema" already has ${names}, which belongs to the accounts: use another name`)
}

function checkRuleNames(schema: GraphQLSchema, ours: readonly NamedDefinition[], rules: readonly string[]): void {
  const protectedNames = new Set(ours.flatMap((definition) => coordinatesOf(schema, definition)))
  const refused = rules.find((rule) => protectedNames.has(rule) || protectedNames.has(rule.split('.', 1)[0] ?? ''))
  if (refused !== undefined)
    throw new TypeError(`"graphql.rules": ${refused} belongs to the accounts, and its rule cannot be changed`)
}

/** Returns the rule directives that the schema lacks. Existing ones are checked when the rules are read. */
function missingDirectives(schema: GraphQLSchema): readonly DefinitionNode[] {
  return parse(authDirectives, { noLocation: true }).definitions.filter(
    (definition) => isNamed(definition) && !schema.getDirective(definition.name.value),
  )
}

const operations = { Query: OperationTypeNode.QUERY, Mutation: OperationTypeNode.MUTATION } as const

function missingRoots(schema: GraphQLSchema): readonly DefinitionNode[] {
  return rootNames
    .filter((name) => !rootOf(schema, name))
    .flatMap((value): DefinitionNode[] => {
      const name = { kind: Kind.NAME, value } as const
      const operation = operations[value]
      const type = { kind: Kind.NAMED_TYPE, name } as const
      return [
        { kind: Kind.OBJECT_TYPE_DEFINITION, name },
        {
          kind: Kind.SCHEMA_EXTENSION,
          operationTypes: [{ kind: Kind.OPERATION_TYPE_DEFINITION, operation, type }],
        },
      ]
    })
}

/** The fields of a root type extend the one that exists. */
function toExtension(schema: GraphQLSchema, definition: NamedDefinition): DefinitionNode {
  if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION || !isRootName(definition.name.value)) return definition
  const { description: _description, ...rest }: ObjectTypeDefinitionNode = definition
  const value = rootOf(schema, definition.name.value)?.name ?? definition.name.value
  return { ...rest, kind: Kind.OBJECT_TYPE_EXTENSION, name: { kind: Kind.NAME, value } }
}

/** The types of the copy are new objects, so the application's schema does not change. */
function attach(type: GraphQLObjectType, resolvers: object): void {
  const fields = type.getFields()
  for (const [name, resolve] of Object.entries(resolvers)) {
    const field = fields[name]
    if (field) field.resolve = resolve as GraphQLFieldResolver<unknown, unknown>
  }
}
