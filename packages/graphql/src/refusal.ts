import type { Identity, Rule } from '@latchkey/rbac'
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

/** Refuses; where nothing but the scopes of a grant is missing, it says so, and never which. */
export function forbiddenError(isScopeMissing: boolean): AccessError {
  return new AccessError('FORBIDDEN', isScopeMissing ? { challenge: scopeChallenge } : {})
}

/** RFC 9470 §3: what the challenge of a step-up is called. */
const stepUpChallenge = 'insufficient_user_authentication'

/** One that satisfies all of the rules, so that one proof is enough. */
export function stepUpError(rules: readonly Rule[], identity: Identity): AccessError {
  const ages = rules.flatMap(({ stepUp }) => stepUp?.maxAgeSeconds ?? [])
  return new AccessError('STEP_UP_REQUIRED', {
    challenge: stepUpChallenge,
    factors: answeringFactors(rules, identity),
    maxAgeSeconds: Math.min(...ages),
  })
}

/** The kinds of factors that answer: the second ones, or where there are none and that is enough, the first one again. */
function answeringFactors(rules: readonly Rule[], { enrolledFactors, factors }: Identity): readonly string[] {
  if (enrolledFactors.length > 0 || rules.some(({ stepUp }) => stepUp?.ifEnrolled === false)) return enrolledFactors
  const shown = [...new Set(factors.map(({ kind }) => kind))]
  return shown.length > 0 ? shown : ['password']
}
