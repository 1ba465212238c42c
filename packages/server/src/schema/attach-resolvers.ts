import {
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLUnionType,
  isEnumType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql'
import { attachScalar } from './attach-scalar.ts'

/** The resolvers of a schema by type. */
export type ResolversOfTypes = Readonly<Record<string, unknown>>

/**
 * Attaches resolvers to the types of an unused schema. A later map overrides an earlier map field by field; `undefined`
 * overrides no field.
 *
 * @throws Error that names a type or field missing in the schema.
 */
export function attachResolvers(schema: GraphQLSchema, maps: readonly ResolversOfTypes[]): void {
  for (const [name, given] of maps.flatMap((map) => Object.entries(map))) {
    if (given === undefined || given === null) continue
    if (typeof given !== 'object') {
      throw new Error(
        `"${name}" defined in resolvers, but has invalid value: the resolvers of a type are an object, not a ${typeof given}`,
      )
    }
    const type = schema.getType(name)
    if (!type) throw new Error(`"${name}" defined in resolvers, but not in schema`)
    attachToType(type, given)
  }
}

function attachToType(type: GraphQLNamedType, given: object): void {
  if (isSpecifiedScalarType(type)) {
    throw new Error(`"${type.name}" defined in resolvers, but it is a scalar of GraphQL itself: define one of your own`)
  }
  if (isScalarType(type)) attachScalar(type, given)
  else if (isEnumType(type)) attachValues(type, given)
  else if (isUnionType(type)) attachToUnion(type, given)
  else if (isObjectType(type) || isInterfaceType(type)) attachToFields(type, given)
}

/** Reads own and inherited members, but not members of `Object.prototype`: a field may be called `constructor`. */
function memberOf(given: object, name: string): unknown {
  if (name in Object.prototype && !Object.hasOwn(given, name)) return undefined
  return Reflect.get(given, name)
}

/** Returns the names without options of the type, for example `__isTypeOf`. */
function plainNames(given: object): readonly string[] {
  const names: string[] = []
  for (const name in given) if (!name.startsWith('__')) names.push(name)
  return names
}

function attachToFields(type: GraphQLObjectType | GraphQLInterfaceType, given: object): void {
  const fields = type.getFields()
  const unknown = plainNames(given).find((name) => !Object.hasOwn(fields, name))
  if (unknown !== undefined) throw new Error(`${type.name}.${unknown} defined in resolvers, but not in schema`)
  for (const field of Object.values(fields)) attachToField(`${type.name}.${field.name}`, field, given)
  if (isObjectType(type)) type.isTypeOf = decision(given, '__isTypeOf') ?? type.isTypeOf
  else type.resolveType = decision(given, '__resolveType') ?? type.resolveType
}

type Field = GraphQLField<unknown, unknown>
type Resolve = GraphQLFieldResolver<unknown, unknown>

function attachToField(coordinate: string, field: Field, map: object): void {
  const given = memberOf(map, field.name)
  if (given === undefined || given === null) return
  if (typeof given === 'function') field.resolve = given.bind(map)
  else if (typeof given === 'object') Object.assign(field, partsOf(coordinate, given))
  else throw new Error(`Resolver ${coordinate} must be object or function`)
}

function partsOf(coordinate: string, given: object): { readonly resolve?: Resolve; readonly subscribe?: Resolve } {
  const parts = Object.entries(given).filter(([, part]) => part !== undefined)
  const wrong = parts.find(([name, part]) => !/^(?:resolve|subscribe)$/.test(name) || typeof part !== 'function')
  if (wrong)
    throw new Error(`Resolver ${coordinate} may have functions "resolve" and "subscribe", but not this "${wrong[0]}"`)
  return Object.fromEntries(parts)
}

function attachToUnion(type: GraphQLUnionType, given: object): void {
  const [wrong] = plainNames(given)
  if (wrong !== undefined) {
    const coordinate = `${type.name}.${wrong}`
    throw new Error(`${coordinate} was defined in resolvers, but ${type.name} is not an object or interface type`)
  }
  type.resolveType = decision(given, '__resolveType') ?? type.resolveType
}

function decision<Decide>(given: object, name: string): Decide | undefined {
  return (memberOf(given, name) as Decide | null) ?? undefined
}

/**
 * Sets the internal values of an enum. The enum must not be used before, because it caches lookups by name and value.
 */
function attachValues(type: GraphQLEnumType, given: object): void {
  const meanings = 'getValues' in given ? meaningsOf(given as GraphQLEnumType) : given
  const values = new Map(type.getValues().map((value) => [value.name, value]))
  for (const name of plainNames(meanings)) {
    const value = values.get(name)
    if (!value) throw new Error(`${type.name}.${name} was defined in resolvers, but not present within ${type.name}`)
    value.value = memberOf(meanings, name) ?? value.value
  }
}

function meaningsOf(type: GraphQLEnumType): ResolversOfTypes {
  return Object.fromEntries(type.getValues().map(({ name, value }) => [name, value]))
}
