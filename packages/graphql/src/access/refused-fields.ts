import type { Identity } from '@latchkey/rbac'
import type { GraphQLError } from 'graphql'
import type { AccessError } from '../errors.ts'
import type { ReachedField } from '../plan/plan.ts'
import {
  apiKeyError,
  forbiddenError,
  impersonatedError,
  locate,
  outOfScopeError,
  ownPagesError,
  unauthenticatedError,
  unenrolledError,
} from '../refusal.ts'
import type { RuleDecider, RuleVerdict } from '../rules/decide-rule.ts'
import { asksAs, stepUpError } from '../rules/step-up-error.ts'
import type { ScopeNames } from './scope-names.ts'

/** The maximum number of errors in an answer. */
const errorsAtMost = 10

/**
 * Returns one error for each refused field, at most ten, all of one kind. Without an identity: the fields that are not
 * public. Else the first kind that occurs: refused for API keys, forbidden, only for pages of the service, refused
 * while impersonated, refused before enrollment, step-up required.
 *
 * @param names `null`: no scope is named.
 */
export function refusedFields(
  reached: readonly ReachedField[],
  identity: Identity | null,
  decider: RuleDecider,
  names: ScopeNames | null,
): readonly GraphQLError[] {
  if (reached.every(({ rules }) => rules.every((rule) => decider.decide(rule, identity, rules) === 'allowed')))
    return []
  const judged = reached.map((field) => ({
    field,
    verdicts: field.rules.map((rule) => decider.decide(rule, identity, field.rules)),
  }))
  const fieldsWith = (verdict: RuleVerdict) => judged.filter(({ verdicts }) => verdicts.includes(verdict))
  const unauthenticated = fieldsWith('no-identity')
  if (unauthenticated.length > 0) return locateAll(unauthenticated, unauthenticatedError(names?.needed() ?? null))
  // Before the scopes: no challenge could open the operation.
  const keptFromKeys = fieldsWith('api-key')
  if (keptFromKeys.length > 0) return locateAll(keptFromKeys, apiKeyError())
  const forbidden = judged.filter(({ verdicts }) => verdicts.some(isForbidden))
  const isScopeMissing = !forbidden.some(({ verdicts }) => verdicts.includes('forbidden'))
  if (forbidden.length > 0) {
    const error = isScopeMissing && names ? outOfScopeError(names.needed()) : forbiddenError(isScopeMissing)
    return locateAll(forbidden, error)
  }
  const ofOwnPages = fieldsWith('own-pages')
  if (ofOwnPages.length > 0) return locateAll(ofOwnPages, ownPagesError())
  const impersonated = fieldsWith('impersonated')
  if (impersonated.length > 0) return locateAll(impersonated, impersonatedError())
  const unenrolled = fieldsWith('unenrolled')
  if (unenrolled.length > 0) return locateAll(unenrolled, unenrolledError())
  const steppedDown = fieldsWith('step-up')
  if (steppedDown.length === 0 || !identity) return []
  const unmet = steppedDown.flatMap(({ field, verdicts }) =>
    field.rules.filter((_rule, index) => verdicts[index] === 'step-up'),
  )
  return locateAll(steppedDown, stepUpError(unmet, identity))
}

function isForbidden(verdict: RuleVerdict): boolean {
  return verdict === 'forbidden' || verdict === 'out-of-scope'
}

function locateAll(judged: readonly { readonly field: ReachedField }[], error: AccessError): readonly GraphQLError[] {
  return judged.slice(0, errorsAtMost).map(({ field }) => asksAs(locate(error, field), error))
}
