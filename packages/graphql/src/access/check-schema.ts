import { assertSchema } from 'graphql'

/** @throws TypeError unless it is a schema of the copy of `graphql` that this package imports. */
export function checkSchema(schema: unknown): void {
  try {
    assertSchema(schema)
  } catch (cause) {
    const isOfAnotherCopy = Object.prototype.toString.call(schema) === '[object GraphQLSchema]'
    throw new TypeError(isOfAnotherCopy ? anotherCopy : '"schema" must be a GraphQLSchema', { cause })
  }
}

const anotherCopy =
  '"schema" was made by another copy of graphql than @latchkey/graphql imports: install one copy, and in Vitest name @latchkey and the package that makes the schema in server.deps.inline'
