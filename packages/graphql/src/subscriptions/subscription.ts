import type { HttpRequest } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import type { GraphQLError } from 'graphql'
import type { OperationParams } from '../access/prepare.ts'
import type { Access, AuthContext, OperationVerdict } from '../access-contract.ts'
import { AccessError } from '../errors.ts'
import { type Exchange, requestFacts } from '../handler/exchange.ts'
import type { PresentedErrorsOptions } from '../handler/presented-errors.ts'
import type { RequestIdentity } from '../handler/request-identity.ts'
import type { PromiseOrValue } from '../promise-or-value.ts'
import { type Answer, answerRefusal } from '../responses/answer.ts'
import type { MakeStepUpChallenge } from '../rules/step-up-error.ts'
import type { IdentityWatch } from './identity-watches.ts'
import { createInterruptible, type Interruptible } from './interruptible.ts'
import { createStreamExchange } from './stream-refusal.ts'

/** The client that subscribes, and how its subscriptions are executed. */
export interface SubscribingClient {
  readonly access: Pick<Access, 'prepare'>
  readonly request: HttpRequest
  readonly requestIdentity: RequestIdentity
  readonly watch: IdentityWatch
  /** The most milliseconds for opening a source, checking an identity or executing an event. */
  readonly eventMs: number
  /** The most bytes of one event. */
  readonly eventBytes: number
  readonly shown: PresentedErrorsOptions
  readonly extend?: (base: AuthContext) => object
  readonly stepUp?: MakeStepUpChallenge
  readonly publishedScopes?: readonly string[]
  /** Reports limits that a document has exceeded. */
  readonly onExceeded: (exceeded: OperationVerdict['exceeded']) => void
}

/** A subscription, from its opening to its end. */
export interface Subscription {
  readonly client: SubscribingClient
  readonly params: OperationParams
  readonly exchange: Exchange
  readonly waiting: Interruptible
  /** Aborted at the end of the stream; resolvers find its signal in their context. */
  readonly over: AbortController
}

export function createSubscription(client: SubscribingClient, params: OperationParams): Subscription {
  const exchange = createStreamExchange(client.request, client.requestIdentity)
  return { client, params, exchange, waiting: createInterruptible(), over: new AbortController() }
}

/** Decides the operation for an identity. */
export function prepareSubscription(
  { client, params, over }: Subscription,
  identity: Identity | null,
): PromiseOrValue<OperationVerdict> {
  const { access, requestIdentity, extend, stepUp, publishedScopes } = client
  const { credential } = requestIdentity
  return access.prepare(params, {
    ...{ identity, signal: over.signal, credential, stepUp, publishedScopes },
    ...(extend && { extend }),
  })
}

/**
 * Waits until the subscription is interrupted or its time is over.
 *
 * @throws AccessError `SERVICE_UNAVAILABLE` if it takes longer than `eventMs`, and the reason of an interruption.
 */
export function inTime<T>({ client, waiting }: Subscription, work: Promise<T>): Promise<T> {
  return waiting.wait(work, { ms: client.eventMs, late: tookTooLong })
}

function tookTooLong(): AccessError {
  return new AccessError('SERVICE_UNAVAILABLE', { message: 'The operation timed out. Try again later.' })
}

/** Returns the refusal that a query with these errors would get. */
export function refuseSubscription({ exchange }: Subscription, errors: readonly GraphQLError[]): Answer {
  return answerRefusal(errors, requestFacts(exchange))
}
