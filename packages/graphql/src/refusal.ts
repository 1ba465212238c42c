import { type FieldNode, GraphQLError } from 'graphql'
import { AccessError, type AccessErrorCode, type AccessErrorDetails } from './errors.ts'

/** An error of ours without a place in the response. */
export function refusal(
  code: AccessErrorCode,
  details: AccessErrorDetails = {},
  located: Pick<GraphQLError, 'nodes' | 'source' | 'positions'> | null = null,
): GraphQLError {
  const { message, extensions } = new AccessError(code, details)
  const { nodes, source, positions } = located ?? {}
  return new GraphQLError(message, { nodes, source, positions, extensions: { ...extensions } })
}

/** Where an error stands. */
export interface LocatedField {
  readonly node: FieldNode
  readonly path: readonly string[]
}

/** The same at a field of the document, with its place in the response. */
export function locate(error: AccessError, { node, path }: LocatedField): GraphQLError {
  return new GraphQLError(error.message, { nodes: [node], path, extensions: { ...error.extensions } })
}

/** RFC 6750 §3.1: what the challenge of a grant with too few scopes is called. */
export const scopeChallenge = 'insufficient_scope'

/** Refuses who has to set up a second factor first. It names no permission, and does not tell whether there is one. */
export function unenrolledError(): AccessError {
  return new AccessError('FORBIDDEN', { message: 'Set up a second factor to continue.', reason: 'enrollment-required' })
}

/** What an administrator who acts as the account is told of what is its owner's alone. */
export const impersonated: AccessErrorDetails = {
  message: 'Only the owner of the account can do this.',
  reason: 'impersonated',
}

export function impersonatedError(): AccessError {
  return new AccessError('FORBIDDEN', impersonated)
}

/** What an API key is told of what is its owner's alone. */
export const keptFromKeys: AccessErrorDetails = {
  message: 'This is not possible with an API key.',
  reason: 'api-key',
}

export function apiKeyError(): AccessError {
  return new AccessError('FORBIDDEN', keptFromKeys)
}

/** Refuses a client of the service itself what would let whoever has its tokens take over the account. */
export function ownPagesError(): AccessError {
  return new AccessError('FORBIDDEN', {
    message: 'This is only possible on the pages of the service.',
    reason: 'own-pages',
  })
}

/** Refuses; if only scopes of a grant are missing, it says so. */
export function forbiddenError(isScopeMissing: boolean): AccessError {
  return new AccessError('FORBIDDEN', isScopeMissing ? { challenge: scopeChallenge } : {})
}

/** Refuses a grant with the scopes that would be enough; `null`: no scope would be. */
export function outOfScopeError(scopes: readonly string[] | null): AccessError {
  return new AccessError(
    'FORBIDDEN',
    scopes === null || scopes.length === 0 ? {} : { challenge: scopeChallenge, scopes },
  )
}

/** Refuses who is unknown with the scopes that a grant needs; `null`: no grant is enough. */
export function unauthenticatedError(scopes: readonly string[] | null): AccessError {
  return new AccessError('UNAUTHENTICATED', scopes === null || scopes.length === 0 ? {} : { scopes })
}
