import { buildSchema } from 'graphql'

/** Every name of this schema has `zq` in it, so that none appears in an answer by chance. */
const hiddenSdl = `
  schema { query: ZqRoot mutation: ZqChange subscription: ZqFeed }
  directive @zqPaint(zqTint: ZqColour!, zqLayers: Int!) on FIELD
  scalar ZqStamp
  enum ZqColour { ZQ_CRIMSON ZQ_TEAL }
  input ZqFilter { zqText: String!, zqColour: ZqColour!, zqLimits: [Int!], zqInner: ZqFilter }
  input ZqChoice @oneOf { zqLeft: Int, zqRight: String }
  interface ZqNode { zqId: ID!, zqOwner: ZqAccount }
  type ZqAccount implements ZqNode { zqId: ID!, zqOwner: ZqAccount, zqEmail: String, zqSize: Int }
  type ZqArticle implements ZqNode {
    zqId: ID!
    zqOwner: ZqAccount
    zqTitle(zqLength: Int!): String
    zqColour: ZqColour
    zqSize: String
  }
  union ZqFound = ZqAccount | ZqArticle
  type ZqRoot {
    zqNode(zqKey: ID!): ZqNode
    zqSearch(zqFilter: ZqFilter!, zqStamp: ZqStamp, zqChoice: ZqChoice): [ZqFound!]
    zqNumber(zqAmount: Int! = 3, zqFactor: Float): Int
    zqPages(first: Int = 1000): [ZqArticle!]
    zqSecret: String
    zqText: String
  }
  type ZqChange { zqWrite(zqFilter: ZqFilter!, zqDraft: Boolean!): ZqArticle }
  type ZqFeed { zqTicks(zqEvery: Int!): Int, zqEnds: ZqNode }`

const builtIn = ['String', 'Int', 'Float', 'Boolean', 'ID', '__Schema', '__Type']
const names = [...new Set(hiddenSdl.match(/\b\w*zq\w*\b/gi))]
const literals = ['1', '-1', '1.5', '"text"', 'true', 'null', 'ZQ_TEAL', '[]', '{}', '[[1]]', '{ zqText: 1 }', '$v']
const values: readonly unknown[] = [
  undefined,
  null,
  1,
  'text',
  [],
  [null],
  {},
  { zqText: 'a', zqColour: 'ZQ_TEAL' },
  { zqTex: 1 },
  { zqText: 'a', zqColour: 'ZQ_TEA' },
  { zqText: 'a', zqColour: 'ZQ_TEAL', zqInner: { zqText: null } },
  { zqLeft: 1, zqRight: 'a' },
]

const documents = [
  '{ zqText zqNumber zqSecret __typename }',
  '{ zqNode(zqKey: "1") { zqId zqOwner { zqEmail } ... on ZqArticle { zqTitle(zqLength: 3) zqColour } } }',
  '{ zqSearch(zqFilter: { zqText: "a", zqColour: ZQ_TEAL, zqLimits: [1, 2] }) { ... on ZqAccount { zqEmail } } }',
  '{ zqSearch(zqFilter: { zqText: "a", zqColour: ZQ_TEAL }, zqChoice: { zqLeft: 1 }) { __typename ...F } } fragment F on ZqArticle { zqId }',
  'query($v: ZqFilter!) { zqSearch(zqFilter: $v) { ... on ZqNode { zqId } } }',
  'query($v: ZqChoice) { zqSearch(zqFilter: { zqText: "a", zqColour: ZQ_TEAL }, zqChoice: $v) { __typename } }',
  'query($v: ZqColour!) { zqText @zqPaint(zqTint: $v, zqLayers: 2) }',
  'query($v: Int = 1) { zqNumber(zqFactor: $v) a: zqText @include(if: true) }',
  'query($v: [Int!]) { zqSearch(zqFilter: { zqText: "a", zqColour: ZQ_TEAL, zqLimits: $v }) { __typename } }',
  'mutation { zqWrite(zqFilter: { zqText: "a", zqColour: ZQ_CRIMSON }, zqDraft: true) { zqId zqColour } }',
  'subscription { zqTicks(zqEvery: 1) }',
  'subscription { zqEnds { zqId ... on ZqAccount { zqEmail } } }',
  '{ zqSearch(zqFilter: { zqText: "a", zqColour: ZQ_TEAL }) { ... on ZqAccount { zqSize } ... on ZqArticle { a: zqId } } }',
]

export interface HiddenDocument {
  readonly query: string
  readonly variables: Record<string, unknown>
}

/** Draws a document that was valid for the schema, with some mistakes in it, choice by choice. */
export function drawMistake(pick: (below: number) => number): HiddenDocument {
  const choose = <T>(all: readonly T[]): T => all[pick(all.length)] as T
  let tokens: readonly string[] = choose(documents).match(/"[^"]*"|\.\.\.|[$@]?\w+|-?\d+|[^\s\w]/g) ?? []
  for (let mistakes = 1 + pick(3); mistakes > 0; mistakes--) tokens = choose(mistakesOf)(tokens, choose)
  const value = choose(values)
  return { query: tokens.join(' '), variables: value === undefined ? {} : { v: value } }
}

type Choose = <T>(all: readonly T[]) => T
type Mistake = (tokens: readonly string[], choose: Choose) => string[]

const isName = (token: string): boolean => /^\w*zq\w*$/i.test(token)
const isLiteral = (token: string): boolean => /^("|-?\d|true$|ZQ_)/.test(token)

/** Replaces one of the tokens that qualify. */
const replace =
  (qualifies: (token: string) => boolean, write: (token: string, choose: Choose) => readonly string[]): Mistake =>
  (tokens, choose) => {
    const found = tokens.flatMap((token, index) => (qualifies(token) ? [index] : []))
    if (found.length === 0) return [...tokens]
    const index = choose(found)
    return [...tokens.slice(0, index), ...write(tokens[index] ?? '', choose), ...tokens.slice(index + 1)]
  }

/** Leaves out a pair of brackets with all that stands in it. */
const withoutGroup =
  (open: string, close: string): Mistake =>
  (tokens, choose) => {
    const starts = tokens.flatMap((token, index) => (token === open && index > 0 ? [index] : []))
    if (starts.length === 0) return [...tokens]
    const start = choose(starts)
    let depth = 0
    const end = tokens.findIndex((token, index) => {
      if (index >= start && token === open) depth++
      return index >= start && token === close && --depth === 0
    })
    return [...tokens.slice(0, start), ...tokens.slice(end + 1)]
  }

const mistakesOf: readonly Mistake[] = [
  replace(isName, (token) => [token.slice(0, -1)]),
  replace(isName, (token) => [`${token}s`]),
  replace(isName, (token) => [token.toLowerCase()]),
  replace(isName, (_token, choose) => [choose(names)]),
  replace(isName, (_token, choose) => [choose([...names, ...builtIn])]),
  replace(isName, (token) => [token, '{ __typename }']),
  replace(isName, (token) => [token, '(zqWrong: 1)']),
  replace(isName, (token) => [token, '@zqPaint']),
  replace(isName, (token) => [token, token]),
  replace(isLiteral, (_token, choose) => [choose(literals)]),
  replace(
    (token) => token === '$v' || token === '!',
    () => [],
  ),
  withoutGroup('(', ')'),
  withoutGroup('{', '}'),
  withoutGroup('[', ']'),
]

export const hiddenSchema = buildSchema(hiddenSdl)
/** Every field is public, but for one. */
export const hiddenRules = Object.fromEntries(
  Object.values(hiddenSchema.getTypeMap()).flatMap((type) =>
    'getFields' in type && !type.name.startsWith('__') && type.astNode?.kind !== 'InputObjectTypeDefinition'
      ? Object.keys(type.getFields()).map((field) => [
          `${type.name}.${field}`,
          field === 'zqSecret' ? 'authenticated' : 'public',
        ])
      : [],
  ),
) as Record<string, 'public' | 'authenticated'>

/** Returns the names of the schema in a text that the request did not contain. */
export function namesBeyond(text: string, { query, variables }: HiddenDocument): string[] {
  const sent = new Set(`${query} ${JSON.stringify(variables)}`.match(/\w+/g))
  const isSyntax = text.includes('GRAPHQL_PARSE_FAILED')
  const told = text.replaceAll(failureId, '').match(/\w+/g) ?? []
  // What a syntax error calls an "Int" is a token of the document.
  return told.filter((name) => !sent.has(name) && (isHidden(name) || (!isSyntax && builtIn.includes(name))))
}

/** The random id of a failure, any piece of which may begin like a name. */
const failureId = /(?<="INTERNAL_SERVER_ERROR","id":)"[\w-]{22}"/g

const hiddenNames = new Set(hiddenSdl.toLowerCase().match(/\w*zq\w*/g))

function isHidden(name: string): boolean {
  return hiddenNames.has(name.toLowerCase()) || /^zq/i.test(name)
}
