import { authDirectives, compileAccess } from '@latchkey/graphql'
import { buildASTSchema, buildSchema, type GraphQLSchema, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { policy } from '../support/access-fixture.ts'

const problemsOf = (schema: GraphQLSchema): string => {
  try {
    compileAccess({ schema, policy })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return error.message
  }
  return ''
}
/** A schema as tools build it that do not validate SDL. */
const unvalidated = (sdl: string) => buildASTSchema(parse(sdl), { assumeValidSDL: true, assumeValid: true })

describe('an auth directive is refused that is', () => {
  test.each([
    ['misspelt', 'type Query { a: String @public @autenticated }', 'Query.a: @autenticated: is @authenticated meant?'],
    ['misspelt in its case', 'type Query { a: String @Public }', 'Query.a: @Public: is @public meant?'],
    [
      'misspelt as a variant',
      'type Query { a: String @public @step_up(maxAgeSeconds: 1) }',
      '@step_up: is @stepUp meant?',
    ],
    [
      'misspelt on a type',
      'type Query @require(permissions: "articles:read") { a: String @public }',
      'Query: @require: is @requires meant?',
    ],
    [
      'misspelt on an argument',
      'type Query { a(b: Int @ownr): String @public }',
      'Query.a(b:): @ownr: is @owner meant?',
    ],
    ['not defined', 'type Query { a: String @public @isAdmin }', 'Query.a: @isAdmin is not defined'],
    ['given twice', 'type Query { a: String @authenticated @authenticated }', 'Query.a: @authenticated stands twice'],
    [
      'given twice across an extension',
      'type Query @requires(permissions: "articles:read") { a: String @authenticated } extend type Query @requires(permissions: "accounts:read")',
      'Query: @requires stands twice',
    ],
    [
      'given an unknown argument',
      'type Query { a: String @requires(permission: "articles:read", permissions: "articles:read") }',
      '@requires has no argument "permission"',
    ],
    ['given no argument', 'type Query { a: String @requires }', 'Query.a: @requires: Argument "'],
    ['given a number', 'type Query { a: String @requires(permissions: 1) }', 'Query.a: @requires: '],
  ])('%s', (_what, sdl, message) => {
    expect(problemsOf(unvalidated(`${authDirectives} ${sdl}`))).toContain(message)
  })

  test('used without being defined', () => {
    expect(problemsOf(unvalidated('type Query { a: String @authenticated }'))).toContain(
      'put "authDirectives" before your SDL',
    )
  })

  test('defined otherwise', () => {
    const sdl = 'directive @requires(permissions: Int) on FIELD_DEFINITION directive @public on FIELD_DEFINITION'
    const schema = buildSchema(`${sdl} type Query { a: String @requires(permissions: 1), b: String @public }`)
    expect(problemsOf(schema)).toContain('Query.a: @requires is defined otherwise than in "authDirectives"')
    expect(problemsOf(schema)).not.toContain('Query.b')
  })

  test('renamed to something close', () => {
    const schema = buildSchema(
      `${authDirectives} directive @owned on FIELD_DEFINITION type Query { a: String @public @owned }`,
    )
    expect(problemsOf(schema)).toContain('Query.a: @owned: is @owner meant?')
  })
})
