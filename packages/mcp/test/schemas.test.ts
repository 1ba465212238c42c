import { createMcp } from '@latchkey/mcp'
import { expect, test } from 'vitest'
import { parts, send, serve, toolOf } from './support/notes-service.ts'

const scalars = { DateTime: { type: 'string', format: 'date-time' } }

async function listed(document: string, more = {}) {
  const mcp = createMcp({ ...parts, tools: [toolOf(document, more)], initialScopes: [], scalars })
  const admin = { subject: 'ada', roles: ['ADMIN'], scopes: [], firstParty: false }
  const { body } = await send(serve(mcp, { identity: admin }).fetch, 'tools/list')
  return body.result.tools[0]
}

const closed = { type: 'object', additionalProperties: false }

test('the input schema is a closed object with types, defaults, enums and the bounds of lists', async () => {
  const { inputSchema } = await listed(
    'query a($first: Int = 5, $color: Color, $id: ID!) { notes(first: $first, color: $color) { id } node(id: $id) { id } }',
  )
  expect(inputSchema).toEqual({
    ...closed,
    properties: {
      first: { type: 'integer', description: 'How many.', minimum: 0, maximum: 50, default: 5 },
      color: { type: 'string', enum: ['RED', 'GREEN'] },
      id: { type: 'string' },
    },
    required: ['id'],
  })
})

test('the input schema has input objects as closed definitions, also if one contains itself', async () => {
  const { inputSchema } = await listed('mutation a($at: Place) { write(title: "a", at: $at) { id } }')
  const place = {
    line: { type: 'integer' },
    above: { $ref: '#/$defs/Place' },
    color: { type: 'string', enum: ['RED', 'GREEN'], description: 'Of the note.' },
  }
  expect(inputSchema).toEqual({
    ...closed,
    properties: { at: { $ref: '#/$defs/Place' } },
    $defs: { Place: { ...closed, properties: place, required: ['line'] } },
  })
})

test('the input schema has exactly one member of a oneOf input', async () => {
  const { inputSchema } = await listed('query a($by: One!) { find(by: $by) { id } }')
  expect(inputSchema.$defs.One).toEqual({
    ...closed,
    properties: { id: { type: 'string' }, title: { type: 'string' } },
    minProperties: 1,
    maxProperties: 1,
  })
})

test('the output schema follows the selections, with nulls, lists, enums and custom scalars', async () => {
  const { outputSchema } = await listed(
    'query a($b: Boolean!) { list: notes { id ...f color @include(if: $b) at } } fragment f on Note { title tags }',
  )
  const note = {
    id: { type: 'string' },
    title: { type: ['string', 'null'], description: 'What it is called.' },
    tags: { type: 'array', items: { type: 'string' } },
    color: { type: ['string', 'null'], enum: ['RED', 'GREEN', null] },
    at: { type: ['string', 'null'], format: 'date-time' },
  }
  expect(outputSchema).toEqual({
    ...closed,
    properties: {
      list: { type: 'array', items: { ...closed, properties: note, required: ['id', 'title', 'tags', 'at'] } },
    },
    required: ['list'],
  })
})

test('the output schema has each possible type of an interface', async () => {
  const { outputSchema } = await listed('query a { node(id: "1") { __typename id ... on Note { title } } }')
  const of = (name: string, more = {}) => ({
    ...closed,
    properties: { __typename: { type: 'string', const: name }, id: { type: 'string' }, ...more },
    required: ['__typename', 'id', ...Object.keys(more)],
  })
  const title = { type: ['string', 'null'], description: 'What it is called.' }
  expect(outputSchema.properties.node).toEqual({
    anyOf: [{ anyOf: [of('Note', { title }), of('Person')] }, { type: 'null' }],
  })
})

test('the annotations mark a query as read-only, and a mutation as destructive unless its option is false', async () => {
  const write = 'mutation a { write(title: "a") { id } }'
  const of = async (document: string, more = {}) => (await listed(document, more)).annotations
  expect(await of('query a { hello }')).toEqual({ readOnlyHint: true, destructiveHint: false, openWorldHint: false })
  expect(await of(write)).toEqual({ readOnlyHint: false, destructiveHint: true, openWorldHint: false })
  expect(await of(write, { destructive: false })).toMatchObject({ readOnlyHint: false, destructiveHint: false })
})
