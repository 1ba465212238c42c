import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
} from 'graphql'
import { server } from '../../src/server.ts'

const { schema, fields } = server.access
const rulesOf = new Map(fields.map(({ coordinate, rules }) => [coordinate, rules]))

/** A field and how it is asked for: the text before its own selection, the text after it, and all coordinates on the way. */
export interface Way {
  readonly open: string
  readonly close: string
  readonly coordinates: readonly string[]
  readonly type: GraphQLOutputType
}

const ofOpenid = ['Query.session', 'Query.viewer']

/** Whether a token with the scope openid alone opens all of it. */
export function isOpen(coordinates: readonly string[]): boolean {
  return coordinates.every((coordinate) => ofOpenid.includes(coordinate) || rulesOf.get(coordinate)?.length === 0)
}

/** Whether a client of the service itself is refused it, because whoever has its token could take over the account. */
export function isOfOwnPages(coordinates: readonly string[]): boolean {
  const asked = coordinates.map((coordinate) => rulesOf.get(coordinate) ?? [])
  return asked.some(
    (rules) =>
      rules.some(({ firstParty }) => firstParty) &&
      rules.some(({ credential, stepUp }) => credential || stepUp !== null),
  )
}

function argumentsOf(args: readonly GraphQLArgument[]): string {
  const required = args.filter(({ type }) => isNonNullType(type)).map(({ name, type }) => `${name}: ${literalOf(type)}`)
  return required.length > 0 ? `(${required.join(', ')})` : ''
}

function literalOf(type: GraphQLInputType): string {
  const named = isNonNullType(type) ? type.ofType : type
  if (isListType(named)) return '[]'
  if (isEnumType(named)) return named.getValues()[0]?.name ?? ''
  if (!isInputObjectType(named)) return named.name === 'Boolean' ? 'true' : '"x"'
  const fields = Object.values(named.getFields()).filter(isRequiredInputField)
  return `{ ${fields.map((field) => `${field.name}: ${literalOf(field.type)}`).join(', ')} }`
}

function fieldsBelow(type: GraphQLObjectType, above: Omit<Way, 'type'>): Way[] {
  return Object.values(type.getFields()).map((field) => ({
    open: `${above.open} { ${field.name}${argumentsOf(field.args)}`,
    close: ` }${above.close}`,
    coordinates: [...above.coordinates, `${type.name}.${field.name}`],
    type: field.type,
  }))
}

/** Returns a way to every coordinate, through public fields where there is one. */
export function findWays(): ReadonlyMap<string, Way> {
  const roots = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  }
  const open = Object.entries(roots).flatMap(([operation, type]) =>
    type ? fieldsBelow(type, { open: operation, close: '', coordinates: [] }) : [],
  )
  const ways = new Map<string, Way>()
  for (const way of open) {
    const coordinate = way.coordinates.at(-1) ?? ''
    const known = ways.get(coordinate)
    if (known && (isOpen(known.coordinates) || !isOpen(way.coordinates))) continue
    ways.set(coordinate, way)
    const named = getNamedType(way.type)
    const possible = isAbstractType(named) ? schema.getPossibleTypes(named) : isObjectType(named) ? [named] : []
    for (const type of possible) {
      open.push(...fieldsBelow(type, { ...way, open: `${way.open} { ... on ${type.name}`, close: ` }${way.close}` }))
    }
  }
  return ways
}

/** The whole operation that asks for the field at the end of a way. */
export function operationOf({ open, close, type }: Way): string {
  return `${open}${isLeafType(getNamedType(type)) ? '' : ' { __typename }'}${close}`
}
