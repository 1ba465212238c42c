import type { AnyPolicy, Filter, Identity, PermissionSet, RuleOf } from '@latchkey/rbac'
import type { AuthContext } from '../access-contract.ts'
import {
  apiKeyError,
  forbiddenError,
  impersonatedError,
  outOfScopeError,
  ownPagesError,
  unauthenticatedError,
  unenrolledError,
} from '../refusal.ts'
import type { RuleDecider } from '../rules/decide-rule.ts'
import { stepUpError } from '../rules/step-up-error.ts'
import { ownerSubject, ownsResource } from './owned-ids.ts'
import type { ScopeNames } from './scope-names.ts'
import { SealedContext, type SealedRequest } from './sealed-request.ts'

export interface ContextInput {
  readonly policy: AnyPolicy
  readonly decider: RuleDecider
  readonly response: AuthContext['response'] | undefined
  readonly request: SealedRequest
  /** Called after a resolver got an identity from `authorize`. */
  readonly onAuthorized: () => void
}

type Written<T> = { -readonly [name in keyof T]: T[name] }
/** The signal is a getter of the sealed context. */
type Assigned = Written<Omit<AuthContext, 'signal'>>

export function createAuthContext({ policy, decider, response, request, onAuthorized }: ContextInput): AuthContext {
  const context: Assigned & SealedContext = Object.assign<SealedContext, Assigned>(new SealedContext(request), {
    identity: request.identity,
    response: response ?? nowhere,
    authorize(rule, ...owned) {
      const identity = authorize(policy, decider, request, rule, owned)
      onAuthorized()
      return identity
    },
    can: (permission, ...asked) => policy.can(request.identity, permission, ...(asked as [])),
    explain: (permission, ...asked) => policy.explain(request.identity, permission, ...(asked as [])),
    canEach: (permission, ids, options) => canEach(policy, request, permission, ids, options),
    filter: (permission, options) => policy.filter(request.identity, permission, options) as Filter<never>,
    establish(identity) {
      if (!request.plan.credential) throw new TypeError('"establish" belongs to the resolver of a credential field')
      request.identity = checkIdentity(policy, identity)
      context.identity = request.identity
    },
  })
  return context
}

/** The empty permission set of each policy. Only identities of the same policy hold it. */
const emptySets = new WeakMap<AnyPolicy, PermissionSet>()

/** @throws TypeError if the identity was not made by this policy. */
export function checkIdentity(policy: AnyPolicy, identity: Identity | null | undefined): Identity | null {
  if (identity === null || identity === undefined) return null
  const none = emptySets.get(policy) ?? policy.permissionSet([])
  emptySets.set(policy, none)
  if (policy.holds(identity, none)) return identity
  throw new TypeError('"identity" must come from the identify of the policy that the access was compiled with')
}

/**
 * @throws AccessError `UNAUTHENTICATED`, `FORBIDDEN` or `STEP_UP_REQUIRED` if the identity does not satisfy the rule.
 */
export function authorize(
  policy: AnyPolicy,
  decider: RuleDecider,
  { identity, names }: { readonly identity: Identity | null; readonly names: ScopeNames | null },
  input: Exclude<RuleOf<AnyPolicy>, 'public'>,
  [owned]: readonly unknown[],
): Identity {
  const rule = policy.rule(input)
  if (rule.owner?.argument) throw new TypeError('"authorize" knows no arguments: hand it the resource')
  if (!identity) throw unauthenticatedError(names?.needed([{ rules: [rule] }]) ?? null)
  const verdict = decider.decide(rule, identity, [rule])
  if (verdict === 'api-key') throw apiKeyError()
  if (verdict === 'own-pages') throw ownPagesError()
  if (verdict === 'impersonated') throw impersonatedError()
  if (verdict === 'unenrolled') throw unenrolledError()
  if (verdict === 'forbidden') throw forbiddenError(false)
  if (verdict === 'out-of-scope') {
    throw names ? outOfScopeError(names.needed([{ rules: [rule] }])) : forbiddenError(true)
  }
  // A grant that is too narrow must not learn the owner of a resource.
  const isOwned =
    !rule.owner || decider.liftsOwner(rule, identity) || ownsResource(policy, rule.owner.of, owned, identity)
  if (!isOwned) throw forbiddenError(false)
  if (verdict === 'step-up') throw stepUpError([rule], identity)
  return identity
}

async function canEach(
  policy: AnyPolicy,
  { identity, owners }: SealedRequest,
  permission: string,
  ids: readonly string[],
  options: { readonly unless?: string } = {},
): Promise<string[]> {
  const resource = permission.slice(0, permission.indexOf(':'))
  const { allowed, reason } = policy.explain(identity, permission, null, options)
  if (allowed) return [...ids]
  const subject = ownerSubject(identity)
  if (reason !== 'not-owner' || subject === null) return []
  await owners.load(resource, ids)
  return ids.filter((id) => owners.known(resource, id) === subject)
}

const nowhere: AuthContext['response'] = { setCookie: rejectResponse, setHeader: rejectResponse }

function rejectResponse(): never {
  throw new TypeError('"response" has somewhere to go only in the handler of createGraphqlHandler')
}
