import { GraphQLError } from 'graphql'

/**
 * Returns whether an error is a `GraphQLError`. It may come from another copy of `graphql`, because a test runner may
 * load one for the tests and another for packages. The check reads the tag, because subclasses change the name, and
 * JSON cannot have a tag.
 */
export function isGraphqlError(error: unknown): error is GraphQLError {
  if (error instanceof GraphQLError) return true
  if (Object.prototype.toString.call(error) !== '[object GraphQLError]') return false
  const { extensions } = error as Partial<GraphQLError>
  return 'originalError' in Object(error) && typeof extensions === 'object' && extensions !== null
}
