import type { ReplyHeaders } from '@latchkey/http'
import type {
  AnyPolicy,
  Decision,
  Filter,
  Identity,
  OwnedWhere,
  OwnershipArguments,
  PermissionOf,
  PermissionSet,
  RuleOf,
} from '@latchkey/rbac'
import { AccessError } from '../errors.ts'
import { stepUpError } from '../refusal.ts'
import type { RuleDecider } from '../rules/decide-rule.ts'
import { ownerSubject, ownsResource } from './owned-ids.ts'
import { SealedContext, type SealedRequest } from './sealed-request.ts'

type Unless<P extends AnyPolicy> = { readonly unless?: PermissionOf<P> }

/** What resolvers find in their context. The methods need no `this`: take them out of it as you like. */
export type AuthContext<P extends AnyPolicy = AnyPolicy> = {
  /** Who asks, or `null`. Below a credential field: whom it signed in. */
  readonly identity: Identity | null

  /**
   * Gives the identity that satisfies a rule, for what the schema's own rules cannot say.
   *
   * @param resource the resource in hand, for a rule with an `owner`. A missing one answers like somebody else's.
   * @throws AccessError `UNAUTHENTICATED`, `FORBIDDEN` or `STEP_UP_REQUIRED`.
   * @throws TypeError when the rule is not one of this policy, or names an owner by an argument.
   */
  authorize(rule: Exclude<RuleOf<P>, 'public'>, resource?: unknown): Identity

  /** As `policy.can`, for the identity of this request. */
  can<Permission extends PermissionOf<P>>(
    permission: Permission,
    ...ownership: OwnershipArguments<P['ownership'], Permission, PermissionOf<P>>
  ): boolean

  /** As `policy.explain`, for the identity of this request. */
  explain<Permission extends PermissionOf<P>>(
    permission: Permission,
    ...ownership: OwnershipArguments<P['ownership'], Permission, PermissionOf<P>>
  ): Decision

  /**
   * Gives those of the ids that the identity may do this to, in their order. Whoever asks in one request is served by
   * one call of `ownersById`; what that throws is passed on.
   */
  canEach<Permission extends PermissionOf<P>>(
    permission: Permission,
    ids: readonly string[],
    options?: Unless<P>,
  ): Promise<string[]>

  /** As `policy.filter`, for the identity of this request. */
  filter<Permission extends PermissionOf<P>>(
    permission: Permission,
    options?: Unless<P>,
  ): Filter<OwnedWhere<P['ownership'], Permission>>

  /**
   * Aborted when nobody waits for the answer any more: the time of the operation is over, or the client has gone. Hand
   * it to whatever takes one: `fetch`, database drivers, timers. Where no handler of ours answers and `prepare` was
   * given none, it is never aborted. With `graphql` 17 `info.getAbortSignal()` is aborted then, too.
   */
  readonly signal: AbortSignal

  /** Headers that are sent with whatever answers the request. Where no handler of ours does, its methods throw. */
  readonly reply: ReplyHeaders

  /**
   * Tells that a credential field signed somebody in or out: what stands below it is checked against this identity.
   *
   * @throws TypeError outside an operation with a credential field, and for an identity of another policy.
   */
  establish(identity: Identity | null): void
}

export interface ContextInput {
  readonly policy: AnyPolicy
  readonly decider: RuleDecider
  readonly reply: ReplyHeaders | undefined
  readonly request: SealedRequest
}

type Written<T> = { -readonly [name in keyof T]: T[name] }
/** The signal is the sealed context's own. */
type Assigned = Written<Omit<AuthContext, 'signal'>>

export function createAuthContext({ policy, decider, reply, request }: ContextInput): AuthContext {
  const context: Assigned & SealedContext = Object.assign<SealedContext, Assigned>(new SealedContext(request), {
    identity: request.identity,
    reply: reply ?? nowhere,
    authorize: (rule, ...owned) => authorize(policy, decider, request.identity, rule, owned),
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

/** The empty set of each policy: every identity of that policy holds it, and nothing else does. */
const emptySets = new WeakMap<AnyPolicy, PermissionSet>()

/** @throws TypeError when an identity is not one that this very policy made. */
export function checkIdentity(policy: AnyPolicy, identity: Identity | null | undefined): Identity | null {
  if (identity === null || identity === undefined) return null
  const none = emptySets.get(policy) ?? policy.permissionSet([])
  emptySets.set(policy, none)
  if (policy.holds(identity, none)) return identity
  throw new TypeError('"identity" must come from the identify of the policy that the access was compiled with')
}

function authorize(
  policy: AnyPolicy,
  decider: RuleDecider,
  identity: Identity | null,
  input: Exclude<RuleOf<AnyPolicy>, 'public'>,
  [owned]: readonly unknown[],
): Identity {
  const rule = policy.rule(input)
  if (rule.owner?.argument) throw new TypeError('"authorize" knows no arguments: hand it the resource')
  if (!identity) throw new AccessError('UNAUTHENTICATED')
  const verdict = decider.decide(rule, identity)
  const isOwned =
    !rule.owner || decider.liftsOwner(rule, identity) || ownsResource(policy, rule.owner.of, owned, identity)
  if (verdict === 'forbidden' || !isOwned) throw new AccessError('FORBIDDEN')
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

const nowhere: ReplyHeaders = {
  setCookie: refuseReply,
  setHeader: refuseReply,
  headers: () => [],
}

function refuseReply(): never {
  throw new TypeError('"reply" has somewhere to go only in the handler of createGraphqlHandler')
}
