import { type FieldNode, GraphQLError } from 'graphql'
import { AccessError, type AccessErrorCode, type AccessErrorDetails } from './errors.ts'

/** Returns an error of this package without a path in the response. */
export function refusal(
  code: AccessErrorCode,
  details: AccessErrorDetails = {},
  located: Pick<GraphQLError, 'nodes' | 'source' | 'positions'> | null = null,
): GraphQLError {
  const { message, extensions } = new AccessError(code, details)
  const { nodes, source, positions } = located ?? {}
  return new GraphQLError(message, { nodes, source, positions, extensions: { ...extensions } })
}

/** The place of an error. */
export interface LocatedField {
  readonly node: FieldNode
  readonly path: readonly string[]
}

/** Returns the error at a field of the document, with its path in the response. */
export function locate(error: AccessError, { node, path }: LocatedField): GraphQLError {
  return new GraphQLError(error.message, { nodes: [node], path, extensions: { ...error.extensions } })
}

/** The error code for a grant with too few scopes (RFC 6750 §3.1). */
export const scopeChallenge = 'insufficient_scope'

/**
 * Refuses an account that must enroll a second factor first. The error does not reveal whether it has the permission.
 */
export function unenrolledError(): AccessError {
  return new AccessError('FORBIDDEN', { message: 'Set up a second factor to continue.', reason: 'enrollment-required' })
}

/** Refuses an administrator who acts for the account. */
export const impersonated: AccessErrorDetails = {
  message: 'Only the owner of the account can do this.',
  reason: 'impersonated',
}

export function impersonatedError(): AccessError {
  return new AccessError('FORBIDDEN', impersonated)
}

/** Refuses an API key. */
export const keptFromKeys: AccessErrorDetails = {
  message: 'This is not possible with an API key.',
  reason: 'api-key',
}

export function apiKeyError(): AccessError {
  return new AccessError('FORBIDDEN', keptFromKeys)
}

/** Refuses the service's own clients: a stolen token must not be enough to take over the account. */
export function ownPagesError(): AccessError {
  return new AccessError('FORBIDDEN', {
    message: 'This is only possible on the pages of the service.',
    reason: 'own-pages',
  })
}

/** Refuses; the challenge tells if only scopes of a grant are missing. */
export function forbiddenError(isScopeMissing: boolean): AccessError {
  return new AccessError('FORBIDDEN', isScopeMissing ? { challenge: scopeChallenge } : {})
}

/** Refuses a grant with the scopes that would be enough; `null`: no scope is enough. */
export function outOfScopeError(scopes: readonly string[] | null): AccessError {
  return new AccessError(
    'FORBIDDEN',
    scopes === null || scopes.length === 0 ? {} : { challenge: scopeChallenge, scopes },
  )
}

/** Refuses an unknown sender with the scopes that a grant needs; `null`: no grant is enough. */
export function unauthenticatedError(scopes: readonly string[] | null): AccessError {
  return new AccessError('UNAUTHENTICATED', scopes === null || scopes.length === 0 ? {} : { scopes })
}
