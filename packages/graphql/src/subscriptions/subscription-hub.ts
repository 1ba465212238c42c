import type { HttpRequest } from '@latchkey/http'
import { AccessError } from '../errors.ts'
import { type Exchange, requestFacts } from '../handler/exchange.ts'
import { type PresentedErrorsOptions, showThrown } from '../handler/presented-errors.ts'
import { createRateCheck, type RateCheck } from '../handler/rate-limit-hook.ts'
import { createReporter, type Reporter } from '../handler/reporter.ts'
import { type Answer, answerRefusal } from '../responses/answer.ts'
import { type ClientSlots, createClientSlots } from './client-slots.ts'
import { createIdentityWatches, type IdentityWatches } from './identity-watches.ts'
import type { StreamEnd } from './stream-end.ts'
import type { SubscriptionsSettings } from './subscriptions-options.ts'

/** State that all connections of a `createSubscriptions` share. */
export interface SubscriptionHub {
  readonly settings: SubscriptionsSettings
  /** `null` without a rate limit. */
  readonly checkRate: RateCheck | null
  readonly reporter: Reporter
  readonly slots: ClientSlots
  readonly watches: IdentityWatches
  readonly connections: Set<{ end(end: StreamEnd): void }>
  isClosing: boolean
}

export function createSubscriptionHub(settings: SubscriptionsSettings): SubscriptionHub {
  const { limits, rateLimit, addresses } = settings
  return {
    settings,
    checkRate: createRateCheck({ rateLimit, addresses, timeoutMs: limits.eventMs }),
    reporter: createReporter(settings),
    slots: createClientSlots({ total: limits.streams, perClient: limits.streamsPerClient }),
    watches: createIdentityWatches({ ...settings, recheckMs: limits.recheckMs }),
    connections: new Set(),
    isClosing: false,
  }
}

export function closeHub(hub: SubscriptionHub): void {
  hub.isClosing = true
  for (const connection of [...hub.connections]) connection.end('closing')
  hub.watches.stop()
}

/** @throws AccessError `SERVICE_UNAVAILABLE` after the hub started to close. */
export function refuseWhileClosing(hub: SubscriptionHub): void {
  if (hub.isClosing) throw new AccessError('SERVICE_UNAVAILABLE')
}

/** Returns the limit key of an anonymous client, `null` if its address is unknown. */
export function addressKeyOf({ settings }: SubscriptionHub, request: HttpRequest): string | null {
  const address = settings.addresses.read(request)
  return address === null ? null : settings.addresses.limitKey(address)
}

/** Returns the options that show errors of an exchange to the client and report them. */
export function presentedErrorsOf({ settings, reporter }: SubscriptionHub, exchange: Exchange): PresentedErrorsOptions {
  return {
    errors: settings.access.errors,
    translateError: settings.translateError ?? (() => null),
    report: (...failure) => reporter.failed(exchange, ...failure),
  }
}

/** Returns the refusal for a thrown error, and reports it. */
export function refuseThrown(hub: SubscriptionHub, exchange: Exchange, error: unknown): Answer {
  const answer = answerRefusal([showThrown(error, presentedErrorsOf(hub, exchange))], requestFacts(exchange))
  hub.reporter.answered(answer, exchange)
  return answer
}
