import { isAccessError } from '../errors.ts'
import { isGraphqlError } from '../graphql-error.ts'

/**
 * Returns the message that the author of a scalar wrote for clients: the message of an `AccessError` or `GraphQLError`
 * with the code `BAD_USER_INPUT`, also if GraphQL has wrapped it; else `null`.
 *
 * @param thrown any value: scalars may throw values that are not errors, and `graphql` 16 wraps them.
 */
export function authorMessage(thrown: unknown): string | null {
  if (isAccessError(thrown)) return thrown.code === 'BAD_USER_INPUT' ? thrown.message : null
  if (!isGraphqlError(thrown)) return null
  const { originalError: original, extensions, message } = thrown
  // A wrapper copies the extensions of the wrapped error, but not its message.
  const isTakenOver = original instanceof Error && 'extensions' in original && original.extensions === extensions
  return extensions.code === 'BAD_USER_INPUT' && !isTakenOver ? message : authorMessage(original)
}

/** Whether other code than GraphQL and its scalars threw the error, for example the runtime or a driver. */
export function isOfRuntime(thrown: unknown): boolean {
  if (!isGraphqlError(thrown)) return true
  return thrown.originalError !== undefined && isOfRuntime(thrown.originalError)
}
