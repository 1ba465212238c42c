import { AccessError, type AccessErrorCode, type RuleMap } from '@latchkey/graphql'
import { definePolicy } from '@latchkey/rbac'
import {
  buildSchema,
  GraphQLError,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isAbstractType,
  isObjectType,
} from 'graphql'

// Fields that cross nullability and depth of lists, under rules of all kinds; what each returns is drawn at random, at once
// or later, by its path alone: the same request finds the same twice.

export const executionPolicy = definePolicy({
  permissions: ['things:read'],
  roles: { READER: { permissions: ['things:read'] } },
  ownership: { things: { ownerOf: (thing: { readonly owner: string }) => thing.owner } },
})

const wrappers = ['T', 'T!', '[T]', '[T!]', '[T]!', '[T!]!', '[[T]]', '[[T!]!]!'] as const
const targets = ['Int', 'String', 'Kind', 'A', 'N', 'U']
const fieldTypes = Object.fromEntries(
  targets.flatMap((target) =>
    wrappers.map((wrapper, index) => [`${target.toLowerCase()}${index}`, wrapper.replace('T', target)]),
  ),
)
const fieldNames = Object.keys(fieldTypes)
/** Fields without a resolver: properties and methods of the object that they are asked of. */
const propertyTypes: Readonly<Record<string, string>> = {
  pInt: 'Int',
  pInt1: 'Int!',
  pString: 'String!',
  pKind: 'Kind',
  pList: '[Int!]',
  pA: 'A',
  pN1: 'N!',
  pCall: 'Int',
  pCall1: 'String!',
}
const propertyNames = Object.keys(propertyTypes)
const properties = propertyNames.map(
  (name) => `${name}${name === 'pCall' ? '(n: Int = 3)' : ''}: ${propertyTypes[name]}`,
)
const written = `{ ${properties.join(' ')} ${fieldNames.map((name) => `${name}(n: Int = 3, given: [Int!]): ${fieldTypes[name]}`).join(' ')} owned: String owned1: String! }`
const sdl = `
  enum Kind { ONE TWO }
  interface N ${written}
  type A implements N ${written}
  type B implements N ${written}
  union U = A | B
  type Query ${written}
  type Mutation ${written}
`
const ruleOfOwned: Readonly<Record<string, object | string>> = {
  Query: { permissions: 'things:read' },
  Mutation: 'authenticated',
  A: { owner: { of: 'things' } },
  B: { owner: { of: 'things' } },
  N: 'authenticated',
}
export const executionRules: RuleMap<typeof executionPolicy> = Object.fromEntries(
  Object.entries(ruleOfOwned).flatMap(([type, rule]) => [
    ...[...fieldNames, ...propertyNames].map((name) => [`${type}.${name}`, 'public']),
    ...['owned', 'owned1'].map((name) => [`${type}.${name}`, rule]),
  ]),
)

/** A number below a bound for each text, the same for the same text. */
function numberOf(text: string, below: number): number {
  let hash = 2166136261
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 16777619)
  return ((hash ^ (hash >>> 15)) >>> 0) % below
}

const codes: readonly AccessErrorCode[] = [
  'FORBIDDEN',
  'NOT_FOUND',
  'UNAUTHENTICATED',
  'BAD_USER_INPUT',
  'RATE_LIMITED',
  'SERVICE_UNAVAILABLE',
  'STEP_UP_REQUIRED',
]

function errorOf(choice: string): unknown {
  const kind = numberOf(`${choice} kind`, 12)
  if (kind < 6) return new Error(`unexpected ${choice}`)
  if (kind < 8) return new GraphQLError(`meant ${choice}`, { extensions: { code: 'OWN_CODE' } })
  if (kind < 9) return { no: 'error' }
  return new AccessError(codes[numberOf(`${choice} code`, codes.length)] ?? 'FORBIDDEN')
}

async function later<Value>(value: Value, turns: number): Promise<Value> {
  for (let turn = 0; turn < turns; turn++) await null
  if (turns > 4) await new Promise((resolve) => setImmediate(resolve))
  return value
}

/** A value of a type in SDL, or something in its place; in a promise, or not. `odds`: of so many values one is odd. */
function drawValue(type: string, choice: string, odds: number): unknown {
  const turns = Math.max(0, numberOf(`${choice} turns`, 14) - 7)
  const value = plainValue(type, choice, odds)
  return turns === 0 ? value : later(value, turns).then((found) => (found instanceof Thrown ? found.raise() : found))
}

class Thrown {
  readonly #error: unknown

  constructor(error: unknown) {
    this.#error = error
  }

  raise(): never {
    throw this.#error
  }
}

function plainValue(type: string, choice: string, odds: number): unknown {
  const odd = numberOf(`${choice} odd`, odds)
  if (odd === 0) return null
  if (odd === 1) return new Thrown(errorOf(choice))
  if (odd === 2) return new Error(`returned ${choice}`)
  if (odd === 3) return type.startsWith('[') ? 'no list' : Symbol('no leaf')
  const nullable = type.replace(/!$/, '')
  if (nullable.startsWith('[')) return listOf(nullable.slice(1, -1), choice, odds)
  if (nullable === 'Int') return numberOf(choice, 1000)
  if (nullable === 'String') return `text ${numberOf(choice, 1000)}`
  if (nullable === 'Kind') return numberOf(choice, 9) === 0 ? 'THREE' : 'ONE'
  return withProperties(choice, odds, {
    __typename: typeNameOf(nullable, choice),
    owner: numberOf(`${choice} owner`, 3) === 0 ? 'acc_2' : 'acc_1',
    owned: 'text',
  })
}

/** Every reading counts as a resolver that ran. */
let tell: (what: string) => void = () => undefined

function withProperties(choice: string, odds: number, object: object): object {
  for (const name of propertyNames) {
    const draw = (): unknown => {
      const found = drawValue(propertyTypes[name] ?? '', `${choice}.${name}`, odds * 2)
      return found instanceof Thrown ? found.raise() : found
    }
    const call = (args: object, _context: unknown, { path, fieldNodes }: GraphQLResolveInfo): unknown => {
      tell(`call ${path.key} ${path.prev?.key} ${fieldNodes.length} ${JSON.stringify(args)}`)
      return draw()
    }
    const get = (): unknown => {
      tell(`read ${choice}.${name}`)
      return name.startsWith('pCall') ? call : draw()
    }
    Object.defineProperty(object, name, { get, enumerable: true })
  }
  return object
}

function typeNameOf(type: string, choice: string): unknown {
  const names = numberOf(`${choice} strange`, 40) === 0 ? ['Query', 'Nothing'] : type === 'A' ? ['A'] : ['A', 'B']
  return names[numberOf(`${choice} type`, names.length)]
}

function listOf(item: string, choice: string, odds: number): unknown {
  const items = Array.from({ length: numberOf(`${choice} length`, 4) }, (_none, index) => {
    const found = drawValue(item, `${choice}.${index}`, odds * 2)
    return found instanceof Thrown ? Promise.reject(toError(found)) : found
  })
  for (const one of items) if (one instanceof Promise) one.catch(() => undefined)
  const kind = numberOf(`${choice} list`, 8)
  if (kind === 0) return new Set(items)
  return kind < 4 ? asyncItems(items, choice) : items
}

function toError(thrown: Thrown): unknown {
  try {
    return thrown.raise()
  } catch (error) {
    return error
  }
}

async function* asyncItems(items: readonly unknown[], choice: string): AsyncGenerator<unknown> {
  for (const [index, item] of items.entries()) yield await later(item, numberOf(`${choice} ${index} comes`, 7))
}

/** @param ran is told of every resolver that runs, in order. */
export function executionSchema(seed: () => number, ran: (path: string) => void): GraphQLSchema {
  const schema = buildSchema(sdl)
  tell = ran
  for (const type of Object.values(schema.getTypeMap())) {
    if (isAbstractType(type)) {
      type.resolveType = (value: { readonly __typename: string }, _context, { path }) =>
        numberOf(`${seed()} ${path.key} resolve`, 2) === 0 ? value.__typename : later(value.__typename, 2)
    }
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    if (type.name === 'B') type.isTypeOf = (value) => numberOf(`${seed()}`, 2) === 0 || later(value !== null, 1)
    for (const [name, field] of Object.entries(type.getFields())) {
      if (propertyNames.includes(name)) continue
      field.resolve = (_source, args, _context, { path }) => {
        const keys: (string | number)[] = []
        for (let at: typeof path | undefined = path; at; at = at.prev) keys.unshift(at.key)
        ran(`${keys.join('.')} ${JSON.stringify(args)}`)
        if (name.startsWith('owned')) return 'owned'
        const found = drawValue(fieldTypes[name] ?? '', `${seed()} ${keys.join('.')}`, 24)
        return found instanceof Thrown ? found.raise() : found
      }
    }
  }
  return schema
}

const variables = '($n: Int = 4, $m: Int! = 2, $g: [Int!], $yes: Boolean! = true, $no: Boolean = false)'
const rootFields =
  '{ __typename @include(if: $yes) int0(n: $n) int1(given: [$m]) string0(given: $g) kind0 @skip(if: $no) }'
const argumentLists = ['', '', '(n: 5)', '(n: $n)', '(given: [1, $m])', '(given: $g)']
const conditions = ['', '', '', '', ' @include(if: $yes)', ' @skip(if: $no)', ' @skip(if: $yes)']

interface Drawing {
  readonly pick: (below: number) => number
  aliases: number
}

/** A random valid document for that schema, of no more than four levels. */
export function drawOperation(pick: (below: number) => number): string {
  const [operation, root] = pick(3) === 0 ? ['mutation', 'Mutation'] : ['query', 'Query']
  const areKept = pick(3) > 0
  const selections = drawSelections({ pick, aliases: 0 }, 3)
  const written = `${operation} Q${variables} { ...R ${selections.slice(1)} fragment R on ${root} ${rootFields}`
  return areKept ? withoutConditions(written) : written
}

/** What of an operation without conditions is the same for each request is kept. */
function withoutConditions(operation: string): string {
  return operation
    .replace(/ @(?:include|skip)\(if: \$\w+\)/g, '')
    .replace(/, \$yes: Boolean! = true, \$no: Boolean = false/, '')
}

function drawSelections(drawing: Drawing, depth: number): string {
  const selections = Array.from({ length: 1 + drawing.pick(4) }, () => drawSelection(drawing, depth))
  return `{ ${selections.join(' ')} }`
}

function drawSelection(drawing: Drawing, depth: number): string {
  const { pick } = drawing
  const kind = pick(12)
  if (kind === 0) return '__typename'
  if (kind === 1) return `o${drawing.aliases++}: ${['owned', 'owned1'][pick(2)]}`
  if (kind === 2) return drawProperty(drawing, depth)
  if (kind > 3 || depth === 0 || depth === 3) return drawField(drawing, depth)
  return `... on ${['A', 'B', 'N'][pick(3)]}${conditions[pick(conditions.length)]} ${drawSelections(drawing, depth - 1)}`
}

function drawProperty(drawing: Drawing, depth: number): string {
  const { pick } = drawing
  const name = propertyNames[pick(propertyNames.length)] ?? ''
  const isLeaf = !/^p[AN]/.test(name)
  if (!isLeaf && depth === 0) return '__proto__: pInt1'
  const head = `p${drawing.aliases++}: ${name}${conditions[pick(conditions.length)]}`
  return isLeaf ? head : `${head} ${drawSelections(drawing, depth - 1)}`
}

function drawField(drawing: Drawing, depth: number): string {
  const { pick } = drawing
  const name = fieldNames[pick(fieldNames.length)] ?? ''
  const isLeaf = /^(?:int|string|kind)/.test(name)
  if (!isLeaf && depth === 0) return '__typename'
  const given = `${argumentLists[pick(argumentLists.length)]}${conditions[pick(conditions.length)]}`
  const head = `f${drawing.aliases++}: ${name}${given}`
  if (isLeaf) return head
  const [every, some] = [drawSelections(drawing, depth - 1), drawSelections(drawing, depth - 1)]
  return `${head} { __typename ... on N ${every} ... on A ${some} }`
}
