import type { Identity, Rule } from '@latchkey/rbac'
import { GraphQLError } from 'graphql'
import { AccessError, type AccessErrorCode } from './errors.ts'
import type { ReachedField } from './plan/plan.ts'
import type { RuleDecider, RuleVerdict } from './rules/decide-rule.ts'

const errorsAtMost = 10

/** RFC 9470 §3: what the challenge of a step-up is called. */
const stepUpChallenge = 'insufficient_user_authentication'

/**
 * Gives one error for each refused field, at most ten, all of one kind: without an identity what is not public; else
 * what no factor would mend; else what a factor would.
 */
export function refusedFields(
  reached: readonly ReachedField[],
  identity: Identity | null,
  decider: RuleDecider,
): readonly GraphQLError[] {
  if (reached.every(({ rules }) => rules.every((rule) => decider.decide(rule, identity) === 'allowed'))) return []
  const judged = reached.map((field) => ({
    field,
    verdicts: field.rules.map((rule) => decider.decide(rule, identity)),
  }))
  const fieldsWith = (verdict: RuleVerdict) => judged.filter(({ verdicts }) => verdicts.includes(verdict))
  const unauthenticated = fieldsWith('no-identity')
  if (unauthenticated.length > 0) return refuse(unauthenticated, new AccessError('UNAUTHENTICATED'))
  const forbidden = fieldsWith('forbidden')
  if (forbidden.length > 0) return refuse(forbidden, new AccessError('FORBIDDEN'))
  const steppedDown = fieldsWith('step-up')
  if (steppedDown.length === 0 || !identity) return []
  const unmet = steppedDown.flatMap(({ field, verdicts }) =>
    field.rules.filter((_rule, index) => verdicts[index] === 'step-up'),
  )
  return refuse(steppedDown, stepUpError(unmet, identity))
}

function refuse(judged: readonly { readonly field: ReachedField }[], error: AccessError): readonly GraphQLError[] {
  return judged.slice(0, errorsAtMost).map(({ field }) => locate(error, field))
}

export function locate(error: AccessError, { node, path }: Pick<ReachedField, 'node' | 'path'>): GraphQLError {
  return new GraphQLError(error.message, { nodes: [node], path, extensions: { ...error.extensions } })
}

/** One that satisfies all of the rules, so that one proof is enough. */
export function stepUpError(rules: readonly Rule[], { enrolledFactors }: Identity): AccessError {
  const ages = rules.flatMap(({ stepUp }) => stepUp?.maxAgeSeconds ?? [])
  return new AccessError('STEP_UP_REQUIRED', {
    challenge: stepUpChallenge,
    factors: enrolledFactors,
    maxAgeSeconds: Math.min(...ages),
  })
}

/** An error of ours without a place in the response. */
export function refusal(
  code: AccessErrorCode,
  details: ConstructorParameters<typeof AccessError>[1] = {},
  located: Pick<GraphQLError, 'nodes' | 'source' | 'positions'> | null = null,
): GraphQLError {
  const { message, extensions } = new AccessError(code, details)
  const { nodes, source, positions } = located ?? {}
  return new GraphQLError(message, { nodes, source, positions, extensions: { ...extensions } })
}
