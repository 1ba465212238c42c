import { GraphQLScalarType } from 'graphql'

/** The ways to read and write a value, of graphql 16 and of 17. */
const ways = [
  'serialize',
  'parseValue',
  'parseLiteral',
  'coerceOutputValue',
  'coerceInputValue',
  'coerceInputLiteral',
  'valueToLiteral',
] as const

/** Makes a scalar of a text read and write as a `GraphQLScalarType` does, or as functions do, by name. */
export function attachScalar(type: GraphQLScalarType, given: object): void {
  // Also accepts a scalar of another copy of graphql.
  const isScalar = 'toConfig' in given
  const made = isScalar
    ? (given as GraphQLScalarType)
    : new GraphQLScalarType({ ...functionsOf(given), name: type.name })
  Object.assign(type, Object.fromEntries(ways.flatMap((way) => (way in made ? [[way, made[way]]] : []))))
  type.description ??= made.description
  type.specifiedByURL ??= made.specifiedByURL
  type.extensions = { ...type.extensions, ...made.extensions }
}

/** Removes leading underscores of names, because other types use them too: `__serialize`. */
function functionsOf(given: object): object {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name.replace(/^__/, ''), value]))
}
