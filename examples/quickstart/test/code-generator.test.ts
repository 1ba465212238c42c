import { generate } from '@graphql-codegen/cli'
import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  parse,
  printSchema,
  validate,
} from 'graphql'
import { describe, expect, inject, test } from 'vitest'

const url = `${inject('quickstartUrl')}/graphql`

describe('a code generator reads the schema of the running service, with every limit at its default', () => {
  test('and writes the types of it', async () => {
    const [file, ...others] = (await generate(
      { schema: url, silent: true, generates: { 'schema.ts': { plugins: ['typescript'] } } },
      false,
    )) as { filename: string; content: string }[]
    expect([file?.filename, others]).toEqual(['schema.ts', []])
    for (const type of ['Account', 'Article', 'Comment', 'Mutation', 'Query', 'SignInInput', 'Session']) {
      expect(file?.content).toMatch(new RegExp(`^export type ${type} = `, 'm'))
    }
    expect(file?.content).toMatch(/^ {2}publishArticle: Article;$/m)
    expect(file?.content).toContain('export type SearchResult = Account | Article | Comment;')
  })

  test.each([
    ['as it is', {}],
    ['with all that can be asked for', allOptions()],
  ])('by the standard introspection query %s', async (_what, options) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
      body: JSON.stringify({ query: getIntrospectionQuery(options), operationName: 'IntrospectionQuery' }),
    })
    expect(response.status).toBe(200)
    const { data, errors } = (await response.json()) as { data: IntrospectionQuery; errors?: unknown }
    expect(errors).toBeUndefined()
    const schema = buildClientSchema(data)
    expect(printSchema(schema)).toContain('union SearchResult = ')
    expect(validate(schema, parse('{ articles(first: 3) { title author { name } } }'))).toEqual([])
  })
})

function allOptions() {
  return {
    descriptions: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  }
}
