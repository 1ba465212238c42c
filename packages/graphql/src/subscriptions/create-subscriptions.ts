import type { IdentityReader } from '@latchkey/http'
import type { AnyPolicy, Identity } from '@latchkey/rbac'
import type { GraphqlHandlerOptions } from '../handler/graphql-handler-options.ts'
import { checkOrigin, identify } from '../handler/request-identity.ts'
import { createConnection } from './connection.ts'
import type { StreamLimits } from './stream-limits.ts'
import { createStreamExchange } from './stream-refusal.ts'
import {
  addressKeyOf,
  closeHub,
  createSubscriptionHub,
  refuseThrown,
  refuseWhileClosing,
  type SubscriptionHub,
} from './subscription-hub.ts'
import { registerTransport, type SubscriptionTransport } from './subscription-transport.ts'
import { readSubscriptionsOptions, type SubscriptionsOptions } from './subscriptions-options.ts'

/** The subscriptions of a service over all transports. */
export interface Subscriptions {
  readonly limits: StreamLimits
  /** The number of streams that are open or being opened. */
  readonly open: number
  /** Stops all streams so that clients reconnect, and refuses new streams. */
  close(): void
}

/**
 * Creates the subscriptions of a service. The same plan, limits, variables, cost and rules as for queries apply. Pass
 * them to `createStreamHandler` of `@latchkey/graphql/sse` and `createSocketHandler` of `@latchkey/graphql/ws`, which
 * send them.
 *
 * Each event is executed like a separate request, with the current identity, and is refused as a query would be. An
 * event with only `NOT_FOUND` or `FORBIDDEN` errors and no data is not sent. If an identity is signed out, disabled,
 * expired, renewed or gets other roles, its streams end within five seconds, also if another process changed it.
 *
 * @throws TypeError naming the option that is not valid.
 *
 * @example
 * import { compileAccess, createSubscriptions } from '@latchkey/graphql'
 * import { createIdentityReader } from '@latchkey/http'
 * import { definePolicy } from '@latchkey/rbac'
 * import { buildSchema } from 'graphql'
 * const policy = definePolicy({ permissions: ['notes:read'], roles: { READER: { permissions: ['notes:read'] } } })
 * const findTokenOwner = async (token: string) => (token === 'secret' ? { subject: 'acc_1', roles: ['READER'] } : null)
 * const subscriptions = createSubscriptions({
 *   access: compileAccess({
 *     schema: buildSchema('type Query { hello: String } type Subscription { ticks: Int }'),
 *     policy,
 *     rules: { 'Query.hello': 'public', 'Subscription.ticks': 'authenticated' },
 *   }),
 *   identify: createIdentityReader({ bearer: { verify: async (token) => policy.identify(await findTokenOwner(token)) } }),
 * })
 */
export function createSubscriptions<P extends AnyPolicy>(
  options: Omit<GraphqlHandlerOptions<P>, 'reidentify' | 'requestLimits' | 'statusProfile'> & {
    /**
     * Reads an identity again while its streams are open. Use a reader that does not count as a use of the session:
     * otherwise an open stream keeps an idle session alive.
     *
     * @default identify
     */
    readonly reidentify?: IdentityReader<Identity>
    /**
     * Returns the expiry of an identity in epoch milliseconds, for example the `exp` of its token. `null` or omitted:
     * the next check finds the expiry.
     */
    readonly expiresAt?: (identity: Identity) => number | null
    /**
     * Returns whether the client of an expired or refused identity can present another credential of the same sign-in,
     * because it was renewed or has a valid refresh token. The streams then stop so that clients reconnect. Omitted: no
     * client can, and the stop is final.
     */
    readonly isRenewable?: (identity: Identity) => Promise<boolean>
    /** Omitted limits have their defaults. */
    readonly limits?: Partial<StreamLimits>
  },
): Subscriptions {
  // Only the compiler knows the names that the policy's type adds to the context.
  const hub = createSubscriptionHub(readSubscriptionsOptions(options as unknown as SubscriptionsOptions))
  const subscriptions: Subscriptions = {
    limits: hub.settings.limits,
    get open() {
      return hub.slots.taken
    },
    close: () => closeHub(hub),
  }
  registerTransport(subscriptions, createTransport(hub))
  return subscriptions
}

function createTransport(hub: SubscriptionHub): SubscriptionTransport {
  const { settings } = hub
  return {
    limits: settings.limits,
    trustedDocuments: settings.trustedDocuments,
    headers: settings.headers,
    forgery: settings.forgery,
    checkOpen: () => refuseWhileClosing(hub),
    checkOrigin: (request) => checkOrigin(request, settings),
    identify: (request, forged) => identify(request, forged, settings),
    connect: (input) => createConnection(hub, input),
    answerRefusal: (request, error) => refuseThrown(hub, createStreamExchange(request, null), error),
    addressKey: (request) => addressKeyOf(hub, request),
  }
}
