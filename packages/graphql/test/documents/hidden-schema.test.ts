import { compileAccess } from '@latchkey/graphql'
import fc from 'fast-check'
import type { GraphQLError } from 'graphql'
import { describe, expect, test } from 'vitest'
import { ask, policy } from '../support/access-fixture.ts'
import { since17 } from '../support/graphql-version.ts'
import { drawMistake, type HiddenDocument, hiddenRules, hiddenSchema, namesBeyond } from '../support/hidden-schema.ts'
import { openEveryTransport } from '../support/transports.ts'

const parts = { schema: hiddenSchema, policy, rules: hiddenRules as never, limits: { validationErrors: 50 } }
const refused = compileAccess(parts)
const open = compileAccess({ ...parts, introspection: 'public' })

async function errorsOf(access: typeof open, { query, variables }: HiddenDocument): Promise<readonly GraphQLError[]> {
  const { prepared } = await ask(access, query, null, { variables })
  return prepared.ok ? [] : prepared.errors
}
const said = (errors: readonly GraphQLError[]) => errors.map(({ message }) => message)

const filter = '{ zqText: "a", zqColour: ZQ_TEAL }'
const mistakes: readonly (readonly [query: string, ...messages: string[]])[] = [
  ['{ zqTex }', 'Cannot query field "zqTex" here.'],
  ['{ zqNode(zqKey: 1) { zqEmail } }', 'Cannot query field "zqEmail" here.'],
  ['{ zqNode }', 'Field "zqNode" must have a selection of subfields.', 'A required argument of "zqNode" is missing.'],
  ['{ zqText { __typename } }', 'This field must not have a selection of subfields.'],
  ['{ zqNumber(zqAmoun: 1) }', 'Unknown argument "zqAmoun".'],
  ['{ zqText @zqPaint }', 'A required argument of "zqPaint" is missing.'],
  ['{ zqText @zqPain }', 'Unknown directive "@zqPain".'],
  ['{ zqText @zqPaint(zqTin: 1) }', 'Unknown argument "zqTin".', 'A required argument of "zqPaint" is missing.'],
  ['{ zqNumber(zqAmount: "a") }', 'The value is not valid here.'],
  ['{ zqNumber(zqAmount: null) }', 'The value is not valid here.'],
  ['{ zqNumber(zqAmount: ZQ_TEAL) }', 'The value is not valid here.'],
  ['{ zqText @zqPaint(zqTint: ZQ_TEA, zqLayers: 1) }', 'The value is not valid here.'],
  ['{ zqSearch(zqFilter: {}) { __typename } }', 'The value is not valid here.'],
  ['{ zqSearch(zqFilter: 1) { __typename } }', 'The value is not valid here.'],
  [
    `{ zqSearch(zqFilter: { zqText: "a", zqColour: ZQ_TEAL, zqLimit: 1 }) { __typename } }`,
    'Field "zqLimit" is not valid here.',
  ],
  [`{ zqSearch(zqFilter: ${filter}, zqChoice: {}) { __typename } }`, 'The value is not valid here.'],
  ['query($v: ZqFilte) { zqText @skip(if: $v) }', 'Unknown type "ZqFilte".'],
  [
    'query($v: ZqAccount) { zqText @skip(if: $v) }',
    'A variable cannot be of type "ZqAccount".',
    'Variable "$v" of type "ZqAccount" cannot be used here.',
  ],
  ['query($v: String) { zqNumber(zqAmount: $v) }', 'Variable "$v" of type "String" cannot be used here.'],
  ['{ ...F } fragment F on ZqColour { zqText }', 'A fragment cannot have the type condition "ZqColour".'],
  ['{ ... on ZqFilter { zqText } }', 'A fragment cannot have the type condition "ZqFilter".'],
  ['{ ... on ZqAccount { zqEmail } }', 'This fragment cannot be spread here.'],
  ['{ ...F } fragment F on ZqAccount { zqEmail }', 'Fragment "F" cannot be spread here.'],
  [
    `{ zqSearch(zqFilter: ${filter}) { ... on ZqAccount { zqSize } ... on ZqArticle { zqSize } } }`,
    'Fields "zqSize" conflict because they return conflicting types. Use different aliases on the fields to fetch both if this was intentional.',
  ],
  ['{ zqPages { zqId } }', 'The size of a list must be between 0 and 100.'],
  ['{ zqPages(first: 200) { zqId } }', '"first" must be between 0 and 100.'],
  ...since17<[string, ...string[]]>(
    ['subscription { ... @defer(if: "x") { zqTicks(zqEvery: 1) } }', 'The document is not valid for this schema.'],
    [
      'subscription { ... @defer(if: true) { zqTicks(zqEvery: 1) } }',
      'The document is not valid for this schema.',
      'Unknown directive "@defer".',
    ],
  ),
  ['{ ...F }', 'Unknown fragment "F".'],
  ['{ zqText } fragment F on ZqRoot { zqText }', 'Fragment "F" is never used.'],
  ['query($v: Int) { zqText }', 'Variable "$v" is never used.'],
  ['{ zqNumber(zqAmount: $v) }', 'Variable "$v" is not defined.'],
]

describe('where introspection is refused', () => {
  test.each(mistakes)('%s is refused without a name of the schema', async (query, ...messages) => {
    const document = { query, variables: {} }
    const errors = await errorsOf(refused, document)
    expect(said(errors)).toEqual(messages)
    expect(namesBeyond(JSON.stringify([errors, said(errors)]), document)).toEqual([])
  })

  test.each(mistakes)('%s has the codes and the places that it has where introspection is public', async (query) => {
    const placesOf = (errors: readonly GraphQLError[]) =>
      [...new Set(errors.map(({ extensions, locations }) => JSON.stringify([extensions.code, locations])))].sort()
    const [shown, hidden] = await Promise.all(
      [open, refused].map((access) => errorsOf(access, { query, variables: {} })),
    )
    expect(placesOf(hidden ?? [])).toEqual(placesOf(shown ?? []))
  })

  test('the number of arguments that are missing is not told', async () => {
    const query = 'mutation { zqWrite { zqId } }'
    expect(await errorsOf(open, { query, variables: {} })).toHaveLength(2)
    expect(await errorsOf(refused, { query, variables: {} })).toHaveLength(1)
  })

  test('messages to anonymous clients contain no other name of the schema', async () => {
    const some = compileAccess({ ...parts, introspection: 'authenticated' })
    for (const query of ['{ zqTex }', '{ zqNode }']) {
      const document = { query, variables: {} }
      expect(namesBeyond(said(await errorsOf(some, document)).join(), document)).toEqual([])
    }
  })

  test('a variable that does not fit is named as the document names it', async () => {
    const query = `query($v: ZqFilter!) { zqSearch(zqFilter: $v) { __typename } }`
    for (const v of [undefined, null, 1, {}, { zqText: 'a' }, { zqTex: 'a' }, { zqText: 'a', zqColour: 'ZQ_TEA' }]) {
      const document = { query, variables: v === undefined ? {} : { v } }
      const errors = await errorsOf(refused, document)
      expect(errors.length).toBeGreaterThan(0)
      expect(errors.every(({ extensions }) => extensions.code === 'BAD_USER_INPUT')).toBe(true)
      expect(namesBeyond(JSON.stringify([errors, said(errors)]), document)).toEqual([])
    }
  })
})

test('where introspection is public, messages help', async () => {
  expect(said(await errorsOf(open, { query: '{ zqTex }', variables: {} }))[0]).toMatch(/Did you mean "zqText"/)
  const [missing] = said(await errorsOf(open, { query: '{ zqNode { zqId } }', variables: {} }))
  expect(missing).toMatch(/zqKey.*"ID!"/)
})

test('namesBeyond ignores the random id of a failure and finds names next to it', () => {
  const document = { query: '{ zqEnds }', variables: {} }
  const failure = '"path":["zqEnds"],"extensions":{"code":"INTERNAL_SERVER_ERROR","id":"lpg5rUmvcoI-zQ_2zUNsAg"}'
  expect(namesBeyond(failure, document)).toEqual([])
  expect(namesBeyond(`${failure} zqText "id":"lpg5rUmvcoI-zqEmail-UNsAg"`, document)).toEqual(['zqText', 'zqEmail'])
})

/** Reads drawn numbers as choices. */
function chooser(drawn: readonly number[]): (below: number) => number {
  let next = 0
  return (below) => ((drawn[next++ % drawn.length] ?? 0) + next) % below
}
const choices = fc.array(fc.nat(1_000_000), { minLength: 40, maxLength: 40 })
const runs = Number(process.env.LATCHKEY_PROPERTY_RUNS ?? (process.env.TEST_TIER === '3' ? 20_000 : 250))

test('no document with mistakes learns a name that it does not have', { timeout: 600_000 }, async () => {
  const told = new Set<string>()
  const counts = { refused: 0, taught: 0 }
  await fc.assert(
    fc.asyncProperty(choices, async (drawn) => {
      const document = drawMistake(chooser(drawn))
      const errors = await errorsOf(refused, document)
      const text = JSON.stringify([errors, said(errors)])
      expect({ ...document, told: namesBeyond(text, document) }).toEqual({ ...document, told: [] })
      if (errors.length > 0) counts.refused++
      for (const message of said(errors)) told.add(message.replaceAll(/"[^"]*"/g, '""'))
      // The same document would have learnt something where introspection is public.
      const shown = said(await errorsOf(open, document)).join()
      if (namesBeyond(shown, document).length > 0) counts.taught++
    }),
    { numRuns: runs },
  )
  expect(counts.refused).toBeGreaterThan(runs / 2)
  expect(counts.taught).toBeGreaterThan(runs / 3)
  expect(told.size).toBeGreaterThan(15)
})

test('nor over any transport', { timeout: 600_000 }, async () => {
  const service = await openEveryTransport(refused)
  let taught = 0
  await fc.assert(
    fc.asyncProperty(choices, async (drawn) => {
      const document = drawMistake(chooser(drawn))
      for (const { transport, text } of await service.ask(document)) {
        // The data belongs to a valid document; "__typename" is free in it.
        const errors = text.replaceAll(/"data":\{[^{}]*\}/g, '')
        expect({ ...document, transport, told: namesBeyond(errors, document) }).toEqual({
          ...document,
          transport,
          told: [],
        })
        if (/"code":"GRAPHQL_VALIDATION_FAILED"/.test(text)) taught++
      }
    }),
    { numRuns: Math.ceil(runs / 8) },
  )
  expect(taught).toBeGreaterThan(runs / 8)
  await service.close()
})

test('a refusal of a field also refuses "__typename" in the same operation', async () => {
  const service = await openEveryTransport(refused)
  for (const query of ['{ __typename zqSecret }', '{ a: __typename ... { b: __typename } zqTex }']) {
    for (const { transport, text } of await service.ask({ query })) {
      expect(`${transport}: ${text}`).toMatch(/"code":"(UNAUTHENTICATED|GRAPHQL_VALIDATION_FAILED)"/)
      expect(`${transport}: ${text}`).not.toContain('"data"')
      expect(namesBeyond(text, { query, variables: {} })).toEqual([])
    }
  }
  await service.close()
})
