import { GraphQLError } from 'graphql'

/**
 * Returns whether an error is a `GraphQLError`, also one of another copy of `graphql`: a test runner may load one for the
 * tests and another for packages. Neither its name is asked, which subclasses change, nor can JSON have the tag.
 */
export function isGraphqlError(error: unknown): error is GraphQLError {
  if (error instanceof GraphQLError) return true
  if (Object.prototype.toString.call(error) !== '[object GraphQLError]') return false
  const { extensions } = error as Partial<GraphQLError>
  return 'originalError' in Object(error) && typeof extensions === 'object' && extensions !== null
}
