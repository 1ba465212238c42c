import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  isObjectType,
} from 'graphql'

/** The object types that a selection can have. Equal sets are the same object. */
export interface PossibleTypes {
  readonly id: number
  readonly types: readonly GraphQLObjectType[]
}

export interface PossibleTypeSets {
  of(type: GraphQLNamedType): PossibleTypes
  union(types: readonly GraphQLNamedType[]): PossibleTypes
  intersection(one: PossibleTypes, other: PossibleTypes): PossibleTypes
}

/** Interns sets of object types, so that they can be keys. One for each plan, so that documents cannot fill it. */
export function createPossibleTypeSets(schema: GraphQLSchema): PossibleTypeSets {
  const byNames = new Map<string, PossibleTypes>()
  const byType = new Map<GraphQLNamedType, PossibleTypes>()
  const intern = (types: Iterable<GraphQLObjectType>): PossibleTypes => {
    const sorted = [...new Set(types)].sort((a, b) => (a.name < b.name ? -1 : 1))
    const names = sorted.map(({ name }) => name).join(' ')
    const known = byNames.get(names) ?? { id: byNames.size, types: sorted }
    byNames.set(names, known)
    return known
  }
  const of = (type: GraphQLNamedType): PossibleTypes => {
    const known = byType.get(type) ?? intern(possibleTypes(schema, type))
    byType.set(type, known)
    return known
  }
  return {
    of,
    union(types) {
      const [first, ...others] = new Set(types)
      return first && others.length === 0 ? of(first) : intern([...new Set(types)].flatMap((type) => of(type).types))
    },
    intersection(one, other) {
      if (one === other) return one
      const kept = new Set(other.types)
      return intern(one.types.filter((type) => kept.has(type)))
    },
  }
}

function possibleTypes(schema: GraphQLSchema, type: GraphQLNamedType): readonly GraphQLObjectType[] {
  if (isObjectType(type)) return [type]
  return isAbstractType(type) ? schema.getPossibleTypes(type) : []
}
