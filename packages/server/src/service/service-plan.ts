import { type Access, compileAccess, createGraphqlHandler, type GraphqlHandler } from '@latchkey/graphql'
import { type AddressReader, createAddressReader, createSecurityHeaders, type SecurityHeaders } from '@latchkey/http'
import type { AnyPolicy } from '@latchkey/rbac'
import { type BaseUrl, readBaseUrl } from '../settings/base-url.ts'
import { type Lifetimes, readLifetimes } from '../settings/lifetimes.ts'
import { type Announce, createAnnouncer } from '../settings/server-event.ts'
import { createServiceCookies, type ServiceCookies } from '../settings/service-cookies.ts'
import { endpointOf } from './endpoint-of.ts'
import { checkOptions, type ServerOptions } from './server-options.ts'
import { readClock } from './service-clock.ts'
import { createServiceSchema } from './service-schema.ts'
import { checkStreamLimits } from './service-streams.ts'

/** What follows from the options alone: it needs neither a secret nor a store. */
export interface ServicePlan {
  readonly options: ServerOptions<AnyPolicy>
  readonly base: BaseUrl
  readonly policy: AnyPolicy
  readonly access: Access<AnyPolicy>
  readonly lifetimes: Lifetimes
  readonly cookies: ServiceCookies
  readonly addresses: AddressReader
  readonly security: SecurityHeaders
  readonly announce: Announce
  readonly now: () => number
  /** Answers in the form of GraphQL that the service could not be opened. */
  readonly unopened: GraphqlHandler
}

/** @throws TypeError that names what is missing or cannot be used, and every field without a rule. */
export function planService(options: ServerOptions<AnyPolicy>): ServicePlan {
  checkOptions(options)
  const { transport, trustedProxies = [], limits = {}, onEvent } = options
  const now = readClock(options)
  const lifetimes = readLifetimes(options.lifetimes)
  const base = readBaseUrl(options)
  const { schema, policy, rules } = createServiceSchema(options)
  const introspection = base.environment === 'production' ? 'refused' : 'public'
  const access = compileAccess({ schema, policy, rules, introspection, limits, now })
  checkStreamLimits(options, access)
  const announce = createAnnouncer(onEvent)
  return {
    options,
    base,
    policy,
    access,
    lifetimes,
    cookies: createServiceCookies({ lifetimes, transport, cookies: options.cookies }),
    addresses: createAddressReader({ trustedProxies }),
    security: createSecurityHeaders({ https: base.https }),
    announce,
    now,
    unopened: createGraphqlHandler({ ...endpointOf(options), access, identify: anonymous, onEvent: announce, now }),
  }
}

const anonymous = { read: async () => ({ credential: null, identity: null }) }
