import type { AnyPolicy, Identity } from '@latchkey/rbac'
import type { DocumentNode, GraphQLError, GraphQLSchema } from 'graphql'
import type { Access, AuthContext, OperationVerdict, PrepareInput } from '../access-contract.ts'
import { coerceVariables } from '../documents/coerce-variables.ts'
import { type DocumentLimits, type ExceededLimit, exceededOf } from '../documents/limits.ts'
import type { CostCheck, CostVerdict } from '../documents/operation-cost.ts'
import { describePlan, type OperationPlan, type PreparedPlan, type ReachedField } from '../plan/plan.ts'
import type { PlannedDocuments } from '../plan/planned-documents.ts'
import { createPublishedScopes, type PublishedScopes } from '../plan/published-scopes.ts'
import { reachedBy } from '../plan/reach-fields.ts'
import { mapPromiseOrValue, type PromiseOrValue } from '../promise-or-value.ts'
import { answerRefusal, respond } from '../responses/answer.ts'
import type { RequestFacts } from '../responses/error-table.ts'
import { negotiateMediaType } from '../responses/negotiate-media-type.ts'
import type { Response } from '../responses/response.ts'
import type { RuleDecider } from '../rules/decide-rule.ts'
import { challengeStepUps } from '../rules/step-up-error.ts'
import { checkIdentity, createAuthContext } from './auth-context.ts'
import { createOwnerLoader } from './owner-loader.ts'
import { refusedFields } from './refused-fields.ts'
import { requestErrors } from './request-errors.ts'
import { refusedOwners } from './root-owners.ts'
import { createScopeNames, type ScopeNames } from './scope-names.ts'
import type { SealedRequest } from './sealed-request.ts'

/**
 * An input that creates its signal on the first read. A getter of a class costs much less than a getter of an object
 * that is created for each request.
 */
export abstract class LateSignal {
  abstract get signal(): AbortSignal | undefined
}

/** The parameters of a GraphQL request, as received. */
export type OperationParams = Parameters<Access['prepare']>[0]

type PreparedArgs = Extract<OperationVerdict, { readonly ok: true }>['args']

export interface PrepareOptions {
  readonly policy: AnyPolicy
  readonly decider: RuleDecider
  readonly documents: PlannedDocuments
  /** The schema for validation and coercion. */
  readonly schema: GraphQLSchema
  /** Returns the copy of the schema that executes this operation. */
  readonly sealedFor: (plan: OperationPlan) => GraphQLSchema
  readonly ownership: 'reject' | 'partial'
  readonly limits: DocumentLimits
}

/** A verdict without `response`, which is created when it is read. */
type Refused = Omit<Extract<OperationVerdict, { readonly ok: false }>, 'response'>
type Decided = Exclude<OperationVerdict, { readonly ok: false }> | Refused

/**
 * Creates the function that decides an operation before it executes: document, operation, method, forgery, variables,
 * cost, rules, ownership of the root fields, in this order.
 */
export function createPrepare(options: PrepareOptions): Access['prepare'] {
  const { policy, documents } = options
  const publishedOf = createPublishedReader(policy)
  return (params, input) => {
    const identity = checkIdentity(policy, input.identity)
    const planned = documents.plan(params.query, params.operationName)
    if (!planned.ok) {
      const exceeded = exceededOf(planned.errors)
      return withResponse({ ...planned, plan: null, exceeded: namedBy(params, exceeded) }, identity, input)
    }
    const decided = decide({ ...planned, params, identity, input, published: publishedOf(input) }, options)
    return mapPromiseOrValue(decided, (verdict) => (verdict.ok ? verdict : withResponse(verdict, identity, input)))
  }
}

/** A handler passes the same list with each request. */
function createPublishedReader(policy: AnyPolicy): (input: PrepareInput<AnyPolicy>) => PublishedScopes | null {
  const known = new WeakMap<readonly string[], PublishedScopes>()
  return ({ publishedScopes: names }) => {
    if (!names) return null
    const published = known.get(names) ?? createPublishedScopes(policy, names)
    known.set(names, published)
    return published
  }
}

function pricedBy({ cost, exceeded }: CostVerdict, before: readonly ExceededLimit[]): readonly ExceededLimit[] {
  return before.length === 0 ? exceeded : [...before.map((one) => ({ ...one, cost })), ...exceeded]
}

/** Adds the name from the request if the document was not parsed. */
function namedBy(
  { operationName = null }: OperationParams,
  exceeded: readonly ExceededLimit[],
): readonly ExceededLimit[] {
  return exceeded.map((one) => (one.operationName === null ? { ...one, operationName } : one))
}

function withResponse(
  refused: Refused,
  identity: Identity | null,
  input: PrepareInput<AnyPolicy>,
): Extract<OperationVerdict, { readonly ok: false }> {
  return Object.defineProperty({ ...refused, response: noResponse }, 'response', {
    enumerable: true,
    get: () => respondTo(refused, identity, input),
  })
}

const noResponse: Response = [null, { status: 500, statusText: '' }]

interface PlannedRequest {
  readonly plan: OperationPlan
  readonly checkCost: CostCheck
  readonly document: DocumentNode
  readonly exceeded: readonly ExceededLimit[]
  readonly params: OperationParams
  readonly identity: Identity | null
  readonly input: PrepareInput<AnyPolicy>
  /** `null`: no scope is named. */
  readonly published: PublishedScopes | null
}

function namesOf(
  { plan, identity, published }: PlannedRequest,
  found: Pick<Parameters<typeof createScopeNames>[0], 'read' | 'reached'>,
  { policy }: PrepareOptions,
): ScopeNames | null {
  return published && createScopeNames({ policy, published, identity, plan, ...found })
}

function decide(planned: PlannedRequest, options: PrepareOptions): PromiseOrValue<Decided> {
  const { plan, identity, input, params } = planned
  const { policy, decider } = options
  let { exceeded } = planned
  const toRefused = (errors: readonly GraphQLError[], reached: readonly ReachedField[]): Refused => ({
    ok: false,
    errors,
    plan: describePlan(plan, reached, options),
    exceeded: [...exceeded, ...namedBy(params, exceededOf(errors))],
  })
  const atOnce = requestErrors(plan, identity, input)
  if (atOnce.length > 0) return toRefused(atOnce, plan.always ?? [])
  const coerced = coerceVariables(options.schema, plan.operation, params.variables ?? {}, options.limits)
  if (!coerced.ok) return toRefused(coerced.errors, plan.always ?? [])
  const { variables } = coerced
  const price = planned.checkCost(variables)
  exceeded = pricedBy(price, exceeded)
  if (price.error) return toRefused([price.error], plan.always ?? [])
  const open = new Set<string>()
  const reached = reachedBy(plan, variables.read, ({ node, rules }) => {
    if (!rules.every((rule) => decider.decide(rule, identity, rules) === 'allowed')) return true
    open.add(node.name.value)
    return false
  })
  const names = namesOf(planned, { read: variables.read, reached }, options)
  const unallowed = refusedFields(reached, identity, decider, names)
  if (unallowed.length > 0) {
    return mapPromiseOrValue(challengeStepUps(unallowed, input.stepUp), (errors) => toRefused(errors, reached))
  }
  const schema = options.sealedFor(plan)
  const request: SealedRequest = {
    schema,
    plan,
    variables,
    open,
    identity,
    owners: createOwnerLoader(policy),
    names,
    signal: signalOf(input),
  }
  return mapPromiseOrValue(refusedOwners(reached, request, decider), (foreign) =>
    foreign.length > 0
      ? toRefused(foreign, reached)
      : toAllowed({ ...planned, exceeded }, request, describePlan(plan, reached, options), options),
  )
}

/** An operation needs an identity once a resolver called `authorize`. */
function toAllowed(
  planned: PlannedRequest,
  request: SealedRequest,
  plan: { -readonly [Part in keyof PreparedPlan]: PreparedPlan[Part] },
  options: PrepareOptions,
): Decided {
  const onAuthorized = (): void => {
    plan.requiresIdentity = true
  }
  return { ok: true, plan, exceeded: planned.exceeded, args: argsOf(planned, request, onAuthorized, options) }
}

function argsOf(
  planned: PlannedRequest,
  request: SealedRequest,
  onAuthorized: () => void,
  { policy, decider }: PrepareOptions,
): PreparedArgs {
  const { document, plan, params, input } = planned
  const base = createAuthContext({ policy, decider, request, onAuthorized, response: input.response })
  const contextValue = input.extend ? extendContext(base, input.extend(base)) : base
  const args = {
    schema: request.schema,
    document,
    contextValue,
    variableValues: params.variables ?? {},
    operationName: plan.operation.name?.value,
  }
  if (input instanceof LateSignal) return new LateArgs(args, input)
  return { ...args, abortSignal: input.signal }
}

class LateArgs {
  readonly schema: PreparedArgs['schema']
  readonly document: PreparedArgs['document']
  readonly contextValue: PreparedArgs['contextValue']
  readonly variableValues: PreparedArgs['variableValues']
  readonly operationName: PreparedArgs['operationName']
  readonly #input: LateSignal

  constructor(args: Omit<PreparedArgs, 'abortSignal'>, input: LateSignal) {
    this.schema = args.schema
    this.document = args.document
    this.contextValue = args.contextValue
    this.variableValues = args.variableValues
    this.operationName = args.operationName
    this.#input = input
  }

  get abortSignal(): AbortSignal | undefined {
    return this.#input.signal
  }
}

function signalOf(input: PrepareInput<AnyPolicy>): () => AbortSignal {
  let never: AbortSignal | undefined
  return () => {
    if (input.signal) return input.signal
    never ??= new AbortController().signal
    return never
  }
}

/** Extends the context in place, so that `establish` reaches the resolvers. */
function extendContext(base: AuthContext, added: object): AuthContext {
  for (const name of Object.keys(added)) {
    const isOurs = name !== 'response' && (name === 'signal' || Object.hasOwn(base, name))
    if (isOurs && added[name as keyof object] !== base[name as keyof AuthContext]) {
      throw new TypeError(`"context": "${name}" is a name of the access itself`)
    }
  }
  return Object.assign(base, added)
}

function respondTo({ errors, plan }: Refused, identity: Identity | null, input: PrepareInput<AnyPolicy>): Response {
  const mediaType = negotiateMediaType(input.accept ?? 'application/graphql-response+json') ?? 'application/json'
  const facts: RequestFacts = {
    mediaType,
    profile: 'compatible',
    isBodyRead: true,
    method: input.method ?? 'POST',
    isTokenRefused: input.credential === 'bearer' && identity === null,
    requiresIdentity: plan?.requiresIdentity ?? false,
  }
  return respond(answerRefusal(errors, facts), facts)
}
