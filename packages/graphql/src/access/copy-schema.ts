import {
  type GraphQLFieldConfig,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLUnionType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'

export type FieldConfig = GraphQLFieldConfig<unknown, unknown>

/** Returns the configuration that a field of an object type has in the copy. */
export type ChangeField = (coordinate: string, config: FieldConfig, type: GraphQLObjectType) => FieldConfig

/**
 * Copies a schema with changed fields; the original is not changed. Object, interface and union types are new, as are
 * references to them. Scalars, enums and input types are shared.
 */
export function copySchema(schema: GraphQLSchema, change: ChangeField): GraphQLSchema {
  const copies = new Map<GraphQLNamedType, GraphQLNamedType>()
  const copyOf = <T extends GraphQLNamedType>(type: T): T => (copies.get(type) ?? type) as T

  const output = (type: GraphQLOutputType): GraphQLOutputType => {
    if (isNonNullType(type)) return new GraphQLNonNull(output(type.ofType) as never)
    if (isListType(type)) return new GraphQLList(output(type.ofType as GraphQLOutputType))
    return copyOf(type)
  }
  const outputs = (fields: Readonly<Record<string, FieldConfig>>): Record<string, FieldConfig> =>
    mapValues(fields, (config) => ({ ...config, type: output(config.type) }))

  for (const type of Object.values(schema.getTypeMap())) {
    if (isIntrospectionType(type)) continue
    if (isObjectType(type)) {
      const config = type.toConfig()
      const changed = (): Record<string, FieldConfig> =>
        mapValues(outputs(config.fields), (field, name) => change(`${type.name}.${name}`, field, type))
      copies.set(
        type,
        new GraphQLObjectType({ ...config, interfaces: () => config.interfaces.map(copyOf), fields: changed }),
      )
    } else if (isInterfaceType(type)) {
      const config = type.toConfig()
      const interfaces = () => config.interfaces.map(copyOf)
      copies.set(type, new GraphQLInterfaceType({ ...config, interfaces, fields: () => outputs(config.fields) }))
    } else if (isUnionType(type)) {
      const config = type.toConfig()
      copies.set(type, new GraphQLUnionType({ ...config, types: () => config.types.map(copyOf) }))
    }
  }
  const config = schema.toConfig()
  const [query, mutation, subscription] = [config.query, config.mutation, config.subscription].map(
    (type) => type && copyOf(type),
  )
  return new GraphQLSchema({
    ...config,
    query,
    mutation,
    subscription,
    types: config.types.map(copyOf),
    assumeValid: true,
  })
}

/** Names come from a schema, and may be `__proto__`. */
function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  map: (value: From, name: string) => To,
): Record<string, To> {
  const mapped: Record<string, To> = Object.create(null)
  for (const [name, value] of Object.entries(record)) mapped[name] = map(value, name)
  return mapped
}
