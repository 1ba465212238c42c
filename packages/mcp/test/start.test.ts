import { createMcp, type McpOptions } from '@latchkey/mcp'
import { withoutPlatform } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'
import { createNotes, parts, toolOf, tools } from './support/notes-service.ts'

const start = (...sources: McpOptions['tools']) => createMcp({ ...parts, tools: sources, initialScopes: [] })

test('createMcp uses no random bytes, timers or connections', () => {
  expect(withoutPlatform(createNotes)).toBeDefined()
})

describe('createMcp refuses', () => {
  test.each([
    ['an operation without a name', '{ hello }', '"tools[0]": the operation must have a name'],
    ['several operations', 'query a { hello } query b { hello }', 'exactly one operation'],
    ['a document without an operation', 'fragment f on Query { hello }', 'exactly one operation'],
    ['a text that is no GraphQL', 'query a {', '"tools[0]": Syntax Error'],
    ['a subscription', 'subscription a { ticks }', '"tools": a: a subscription cannot be a tool'],
    ['a field that does not exist', 'query a { nothing }', '"tools": a: Cannot query field "nothing"'],
    [
      'a document over the limits of the service',
      `query a { hello ...f } fragment f on Query { ${Array.from({ length: 60 }, (_none, index) => `a${index}: hello`).join(' ')} }`,
      '"tools": a: The document exceeds the limit "queryRootFields"',
    ],
    ['a field that tests a secret', 'query a { secret }', '"tools": a: a field tests a secret'],
    ['a first-party field', 'query a { own }', '"tools": a: a field is for the service itself'],
    ['a mutation without a permission', 'mutation a { rename(name: "b") }', 'a field is for the service itself'],
    ['an unpublished permission', 'query a { audit }', 'a field needs a permission or scope that no published scope'],
    ['a field with orNull', 'query a { maybe { id } }', 'decides which scopes the operation needs'],
    [
      'a variable that decides what is needed',
      'query a($b: Boolean!) { hello me @include(if: $b) { id } }',
      'decides which scopes the operation needs',
    ],
    ['a custom scalar in a result', 'query a { rare { at } }', 'the scalar "DateTime" has no JSON Schema'],
  ])('%s', (_title, document, message) => {
    expect(() => start(toolOf(document))).toThrow(message)
    expect(() => start(toolOf(document))).toThrow(TypeError)
  })

  test('a second tool with the same name', () => {
    expect(() => start(toolOf('query a { hello }'), toolOf('query a { __typename }'))).toThrow(
      '"tools": a: the name is not unique',
    )
  })

  test('a tool without a description', () => {
    expect(() => start(toolOf('query a { hello }', { description: ' ' }))).toThrow('"tools": a: "description"')
  })

  test('a service without tools, an unpublished initial scope, and an option that it does not have', () => {
    expect(() => start()).toThrow('at least one tool')
    expect(() => createMcp({ ...parts, tools, initialScopes: ['audit:read'] })).toThrow('"audit:read" is not published')
    expect(() => createMcp({ ...parts, tools, initialScopes: [], scopes: [] } as never)).toThrow('"scopes"')
  })
})

describe('the verdict of a tool', () => {
  const verdicts = new Map(createNotes().verdicts.map((verdict) => [verdict.name, verdict]))
  const all = { READER: 'yes', AUTHOR: 'yes', ADMIN: 'yes' }

  test('verdicts are in the order of the tools', () => {
    expect([...verdicts.keys()]).toEqual(tools.map(({ document }) => /^\w+ (\w+)/.exec(document)?.[1]))
  })

  test.each([
    ['listNotes', { kind: 'query', scopes: [['notes:read']], owner: [], stepUp: null, roles: all }],
    ['whoAmI', { scopes: [['openid', 'email']], roles: all }],
    ['sayHello', { scopes: [[]], roles: all }],
    [
      'either',
      {
        scopes: [['notes:delete'], ['notes:read', 'notes:write']],
        roles: { READER: 'no', AUTHOR: 'yes', ADMIN: 'yes' },
      },
    ],
    ['machines', { scopes: [['notes:read']], roles: { READER: 'no', AUTHOR: 'no', ADMIN: 'no' } }],
    ['changeNote', { kind: 'mutation', owner: ['notes'], roles: { READER: 'no', AUTHOR: 'own', ADMIN: 'own' } }],
    [
      'removeNote',
      {
        scopes: [['notes:write'], ['notes:delete']],
        owner: ['notes'],
        roles: { READER: 'no', AUTHOR: 'own', ADMIN: 'yes' },
      },
    ],
    ['purge', { stepUp: { maxAgeSeconds: 300 }, roles: { READER: 'no', AUTHOR: 'no', ADMIN: 'yes' } }],
  ])('%s names scopes, ownership, step-up and roles', (name, expected) => {
    expect(verdicts.get(name)).toMatchObject(expected)
  })

  test('a verdict has the digest of the unchanged document', () => {
    const text = 'query a { hello }'
    const [first, second] = [text, `${text}\n`].map((document) => start(toolOf(document)).verdicts[0]?.document)
    expect(first).toBe('sha256:dc854fa8abd9bb617bf61cd9c769859e62e1999bd39841d06edcbed641d4e292')
    expect(second).not.toBe(first)
  })
})
