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
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { draftsFor } from '../../src/publication/drafts.ts'
import { server } from '../../src/server.ts'

const { access } = server
const { schema, policy } = access
const rulesOf = new Map(access.fields.map(({ coordinate, rules }) => [coordinate, rules]))

/** A field and how it is asked for: the text before its own selection, the text after it, and all coordinates on the way. */
interface Way {
  readonly open: string
  readonly close: string
  readonly coordinates: readonly string[]
  readonly type: GraphQLOutputType
}

function isOpen(coordinates: readonly string[]): boolean {
  return coordinates.every((coordinate) => coordinate === 'Query.viewer' || rulesOf.get(coordinate)?.length === 0)
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
  const fields = Object.values(named.getFields()).filter((field) => isNonNullType(field.type))
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
function findWays(): ReadonlyMap<string, Way> {
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

const ways = findWays()
const admin = { subject: 'acc_admin', roles: ['ADMIN'], firstParty: false, clientId: 'demo-spa' }

describe('a token of a third party with the scope openid, of an administrator', () => {
  test('is tried on every coordinate', () => {
    expect([...ways.keys()].sort()).toEqual(access.fields.map(({ coordinate }) => coordinate))
  })

  test.each([...ways])('opens %s only where it is public, or names openid', async (_coordinate, way) => {
    const selection = isLeafType(getNamedType(way.type)) ? '' : ' { __typename }'
    const query = `${way.open}${selection}${way.close}`
    const identity = policy.identify({ ...admin, scopes: ['openid'] })
    const verdict = await access.prepare({ query }, { identity, csrf: () => true })
    const codes = verdict.ok ? [] : [...new Set(verdict.errors.map(({ extensions }) => extensions.code))]
    expect(codes).toEqual(isOpen(way.coordinates) ? [] : ['FORBIDDEN'])
  })
})

describe('a token of a third party', () => {
  const may = async (query: string, ...scopes: string[]) =>
    (await access.prepare({ query }, { identity: policy.identify({ ...admin, roles: ['AUTHOR'], scopes }) })).ok

  test.each([
    ['{ viewer { id } }', ['openid'], true],
    ['{ viewer { id } }', ['email'], false],
    ['{ viewer { id email } }', ['openid', 'email'], true],
    ['{ viewer { id email } }', ['openid'], false],
    ['{ search(text: "a") { __typename } }', ['articles:read'], true],
    ['subscription { commentAdded(articleId: "1") { id } }', ['articles:read'], true],
    ['subscription { commentAdded(articleId: "1") { id } }', ['openid'], false],
    ['mutation { createArticle(input: { title: "T", body: "B" }) { id } }', ['articles:create'], true],
    ['mutation { createArticle(input: { title: "T", body: "B" }) { id } }', ['articles:read'], false],
    ['mutation { publishArticle(id: "1") { id } }', ['articles:publish'], false],
    ['{ sessions { id } }', [...policy.permissions, 'openid'], false],
  ])('may %s with %j: %j', async (query, scopes, expected) => {
    expect(await may(query, ...scopes)).toBe(expected)
  })
})

describe('the drafts that are seen', () => {
  const author = { subject: 'acc_author', roles: ['AUTHOR'] }
  const readerOf = (input: NonNullable<Parameters<typeof policy.identify>[0]>) => {
    const identity = policy.identify(input)
    return { identity, can: (permission: 'articles:publish' | 'articles:read') => policy.can(identity, permission) }
  }

  test.each([
    ['by an author are their own', author, { subject: 'acc_author' }],
    ['by an editor are all', { ...author, roles: ['EDITOR'] }, 'everybody'],
    [
      'through a grant with articles:read are the own ones',
      { ...author, scopes: ['articles:read'] },
      { subject: 'acc_author' },
    ],
    ['through a grant without it are none', { ...author, scopes: ['openid', 'articles:update'] }, { subject: null }],
    [
      'through a grant of an editor without articles:publish are the own ones',
      { ...author, roles: ['EDITOR'], scopes: ['articles:read'] },
      { subject: 'acc_author' },
    ],
    [
      'through a grant of an editor with it are all',
      { ...author, roles: ['EDITOR'], scopes: ['articles:publish'] },
      'everybody',
    ],
    ['through a grant of an author with it are none', { ...author, scopes: ['articles:publish'] }, { subject: null }],
    [
      'by a machine are none',
      { subject: 'acc_author', kind: 'client', roles: [], scopes: ['articles:read'] } as const,
      { subject: null },
    ],
  ])('%s', (_title, input, expected) => {
    expect(draftsFor(readerOf(input))).toEqual(expected)
  })
})
