import {
  GraphQLList,
  GraphQLNonNull,
  type GraphQLOutputType,
  type GraphQLScalarType,
  type GraphQLSchema,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  specifiedScalarTypes,
} from 'graphql'

/**
 * Makes a scalar value that JSON cannot hold an error of its field (GraphQL §6.4.3). Otherwise `JSON.stringify` would
 * fail for the whole response.
 *
 * @param copy a schema that owns its object types: the types of their fields are replaced.
 */
export function checkScalars(copy: GraphQLSchema): GraphQLSchema {
  const known = new Map<GraphQLScalarType, GraphQLScalarType>()
  const checkedOf = (scalar: GraphQLScalarType): GraphQLScalarType => {
    const checked = known.get(scalar) ?? toChecked(scalar)
    known.set(scalar, checked)
    return checked
  }
  const output = (type: GraphQLOutputType): GraphQLOutputType => {
    if (isNonNullType(type)) return new GraphQLNonNull(output(type.ofType) as never)
    if (isListType(type)) return new GraphQLList(output(type.ofType as GraphQLOutputType))
    return isScalarType(type) && !specifiedScalarTypes.includes(type) ? checkedOf(type) : type
  }
  for (const type of Object.values(copy.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue
    for (const field of Object.values(type.getFields())) field.type = output(field.type)
  }
  return copy
}

/** Only `graphql` 17 has `coerceOutputValue`. */
type Scalar = GraphQLScalarType & { readonly coerceOutputValue?: GraphQLScalarType['serialize'] }

function toChecked(scalar: Scalar): GraphQLScalarType {
  const serialize = (value: unknown): unknown =>
    checkValue(scalar, scalar.coerceOutputValue ? scalar.coerceOutputValue(value) : scalar.serialize(value))
  return Object.assign(Object.create(scalar), { serialize, coerceOutputValue: serialize })
}

function checkValue({ name }: GraphQLScalarType, value: unknown): unknown {
  if (isOfJson(value)) return value
  throw new TypeError(`The scalar "${name}" has returned a value of type ${typeof value} that JSON cannot have`)
}

function isOfJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value === 'object' && value !== null) return JSON.stringify(value) !== undefined
  return typeof value !== 'bigint' && typeof value !== 'symbol' && typeof value !== 'function'
}
