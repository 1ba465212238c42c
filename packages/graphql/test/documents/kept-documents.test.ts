import { compileAccess } from '@latchkey/graphql'
import { definePolicy } from '@latchkey/rbac'
import fc from 'fast-check'
import { buildSchema, type DocumentNode, Location, parse, visit } from 'graphql'
import { expect, test } from 'vitest'
import { drawDocument, fieldsOf, interfaces, objects, sdl } from '../support/random-document.ts'

const policy = definePolicy({ permissions: ['p:a'], roles: {} })
const coordinates = [...Object.keys(objects), ...interfaces].flatMap((type) =>
  fieldsOf(type).map((field) => [`${type}.${field}`, 'public'] as const),
)
const roomy = { tokens: 100_000, aliases: 10_000, directives: 10_000, expandedSelections: 1_000_000, cost: 10 ** 12 }
const written = buildSchema(`${sdl}
  extend type Query { given(text: String, list: [Int], input: Given, kind: Kind, number: Float, yes: Boolean): String }
  input Given { text: String, list: [Int] }
  enum Kind { ONE }`)
const access = compileAccess({
  schema: written,
  policy,
  rules: { ...Object.fromEntries(coordinates), 'Query.given': 'public' },
  limits: roomy,
})

async function keep(query: string): Promise<DocumentNode> {
  const verdict = await access.prepare({ query, variables: { v0: true, v2: true, text: '' } }, { identity: null })
  if (!verdict.ok) throw new Error(verdict.errors[0]?.message)
  return verdict.args.document
}

/** Every place of the document, with the tokens at its ends. */
function placesIn(document: DocumentNode): object[] {
  const places: object[] = []
  visit(document, {
    enter({ kind, loc }) {
      expect(loc).toBeInstanceOf(Location)
      const [first, last] = [loc?.startToken, loc?.endToken]
      const tokens = kind === 'Document' ? [] : [first, last].map((token) => token?.toJSON())
      places.push({ kind, start: loc?.start, end: loc?.end, body: loc?.source.body, text: JSON.stringify(loc), tokens })
    },
  })
  return places
}

async function expectAsParsed(query: string): Promise<void> {
  const [kept, parsed] = [await keep(query), parse(query)]
  // As text and back: the places are compared for themselves.
  expect(JSON.parse(JSON.stringify(kept))).toEqual(JSON.parse(JSON.stringify(parsed)))
  expect(placesIn(kept)).toEqual(placesIn(parsed))
}

test('a kept document equals the parsed document, with all locations and their tokens', {
  timeout: 60_000,
}, async () => {
  await expectAsParsed(`# a comment
    query Q($text: String! = "a") { # another
      one: given(text: $text, list: [1, 2], input: { text: """block "x" """, list: [] }, kind: ONE)
      two: given(text: "\\u00e9 ü", number: -1.5e3, yes: true, list: null) @skip(if: false) ... on Query { __typename }
    }`)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(1_000_000), { minLength: 100, maxLength: 100 }), async (drawn) => {
      let next = 0
      await expectAsParsed(drawDocument((below) => ((drawn[next++ % drawn.length] ?? 0) + next) % below))
    }),
    { numRuns: 100 },
  )
})

test('a kept document is frozen', async () => {
  const document = await keep('query ($text: String) { given(text: $text, list: [1]) ...F } fragment F on Query { x }')
  visit(document, {
    enter(node) {
      expect(
        Object.values(node).filter((value) => typeof value === 'object' && !(value instanceof Location)),
      ).toSatisfy((values: object[]) => values.every(Object.isFrozen))
      expect(Object.isFrozen(node)).toBe(true)
      expect(() => Object.assign(node, { kind: 'Other' })).toThrow(TypeError)
    },
  })
})
