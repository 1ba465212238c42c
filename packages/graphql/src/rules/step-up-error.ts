import type { AnyPolicy, Identity, Rule } from '@latchkey/rbac'
import { GraphQLError } from 'graphql'
import type { PrepareInput } from '../access-contract.ts'
import { AccessError } from '../errors.ts'
import type { PromiseOrValue } from '../promise-or-value.ts'
import { stepUpNeed } from './step-up.ts'

/** Makes the challenge of a step-up. */
export type MakeStepUpChallenge = NonNullable<PrepareInput<AnyPolicy>['stepUp']>

interface Unmet {
  readonly rules: readonly Rule[]
  readonly identity: Identity
}

/** The error code of a step-up (RFC 9470 §3). */
const stepUpCode = 'insufficient_user_authentication'

/** The unmet rules of errors. A property of the error would be sent to the client, and copied to other errors. */
const unmetOf = new WeakMap<Error, Unmet>()

/** Refuses until one proof satisfies all of the rules. */
export function stepUpError(rules: readonly Rule[], identity: Identity): AccessError {
  const { maxAgeSeconds, factors } = stepUpNeed(rules, identity)
  const error = new AccessError('STEP_UP_REQUIRED', { challenge: stepUpCode, factors, maxAgeSeconds })
  unmetOf.set(error, { rules, identity })
  return error
}

/** Copies the unmet rules of an error to its located copy. */
export function asksAs(copy: GraphQLError, original: AccessError): GraphQLError {
  const unmet = unmetOf.get(original)
  if (unmet) unmetOf.set(copy, unmet)
  return copy
}

/**
 * Returns the errors of an answer with one challenge for all of its step-ups. No challenge is made if only the first
 * factor can be presented again, or if the account has no factor that is accepted.
 *
 * @throws the error of the hook: an outage is not a refusal.
 */
export function challengeStepUps(
  errors: readonly GraphQLError[],
  makeChallenge: MakeStepUpChallenge | undefined,
): PromiseOrValue<readonly GraphQLError[]> {
  if (!makeChallenge) return errors
  const asked = errors.flatMap((error) => findUnmet(error) ?? [])
  const [first] = asked
  if (!first) return errors
  // Below a credential field the identity may differ.
  const { identity } = first
  const rules = asked.flatMap((unmet) => (unmet.identity === identity ? unmet.rules : []))
  const { isFirstFactor, ifEnrolled, ...need } = stepUpNeed(rules, identity)
  if (isFirstFactor || need.factors.length === 0) return errors
  return makeChallenge(identity, need).then(({ challenge, factors }) => {
    const answer = new AccessError('STEP_UP_REQUIRED', {
      challenge: challenge ?? stepUpCode,
      factors: challenge === null && !ifEnrolled ? [] : factors,
      maxAgeSeconds: need.maxAgeSeconds,
    })
    return errors.map((error) => (findUnmet(error)?.identity === identity ? replace(error, answer) : error))
  })
}

function findUnmet(error: Error): Unmet | undefined {
  const { originalError } = error as GraphQLError
  return unmetOf.get(error) ?? (originalError ? findUnmet(originalError) : undefined)
}

function replace({ nodes, source, positions, path }: GraphQLError, { message, extensions }: AccessError): GraphQLError {
  return new GraphQLError(message, { nodes, source, positions, path, extensions: { ...extensions } })
}
