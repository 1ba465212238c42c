import { readEmailCode } from '@latchkey/accounts/internal'
import { type Emit, toEvent } from '@latchkey/core/internal'
import { type Access, compileAccess } from '@latchkey/graphql'
import { createRequestSteps, type RequestSteps } from '@latchkey/graphql/internal'
import {
  type AddressReader,
  createAddressReader,
  createHostCheck,
  createSecurityHeaders,
  type HostCheck,
  type SecurityHeaders,
} from '@latchkey/http'
import { createRequestIds, type RequestIds } from '@latchkey/http/internal'
import type { PasswordPolicy } from '@latchkey/password'
import type { RateLimit } from '@latchkey/rate-limit'
import type { AnyPolicy } from '@latchkey/rbac'
import { type BaseUrl, readBaseUrl } from '../../options/base-url.ts'
import { readPath } from '../../options/graphql/endpoint-path.ts'
import { createServiceCors, type ServiceCors } from '../../options/http/cors-origins.ts'
import { createServiceQueue, type ServiceQueue } from '../../options/http/fair-queue.ts'
import { createLoopWatch, type LoopWatch, readLoopLimit } from '../../options/http/loop-watch.ts'
import { createMailLanguage, type MailLanguage } from '../../options/mails/mail-language.ts'
import { checkMailer } from '../../options/mails/terminal-mailers.ts'
import { namedByPath } from '../../options/named-by-path.ts'
import { type AuthorizationPaths, authorizationPathsOf } from '../../options/oauth/authorization-paths.ts'
import type { AuthorizationPages } from '../../options/oauth/authorization-server.ts'
import { createServiceResources, type ServiceResources } from '../../options/oauth/service-resources.ts'
import { type Announce, createAnnouncer } from '../../options/observe/announcer.ts'
import { createMeasuring, type Measuring } from '../../options/observe/measuring.ts'
import type { ServerEvent } from '../../options/observe/server-event.ts'
import { checkDevelopmentPages } from '../../options/pages/development-pages.ts'
import { type PageSettings, readPageSettings } from '../../options/pages/page-settings.ts'
import { readPasswordPolicy } from '../../options/server/breached-passwords.ts'
import { checkOptions } from '../../options/server/check-options.ts'
import type { FlatOptions } from '../../options/server/flat-options.ts'
import { checkPasskeyDomain } from '../../options/server/second-factors.ts'
import { type AccessTokenSettings, readAccessTokens } from '../../options/sessions/access-tokens.ts'
import { type Lifetimes, readLifetimes } from '../../options/sessions/lifetimes.ts'
import { createServiceCookies, type ServiceCookies } from '../../options/sessions/service-cookies.ts'
import { type ProviderSettings, readProviderSettings } from '../../options/sign-in/provider-settings.ts'
import type { FeatureSchema } from '../../schema/schema-offer.ts'
import { endpointOf } from './endpoint-of.ts'
import { type FamilyReads, readFamilyOf } from './family-reads.ts'
import { createPostedLimit } from './posted-limit.ts'
import { createRefusedHosts, type RefusedHosts } from './refused-hosts.ts'
import { createRefusedOrigins, type RefusedOrigins } from './refused-origins.ts'
import { createServiceSchema } from './service-schema.ts'
import { checkStreamLimits } from './stream-limits.ts'

/** The settings derived from the options, without secrets and stores. */
export interface ServicePlan {
  readonly options: FlatOptions
  readonly base: BaseUrl
  /** The path of the GraphQL endpoint. */
  readonly path: string
  /** The resources of clients' access tokens. */
  readonly resources: ServiceResources
  /** The paths for clients and for the pages that they open; empty without `oauth`. */
  readonly authorizationPaths: AuthorizationPaths
  readonly policy: AnyPolicy
  readonly access: Access<AnyPolicy>
  readonly lifetimes: Lifetimes
  readonly familyReads: FamilyReads
  readonly accessTokens: AccessTokenSettings
  /** The rule for new passwords. */
  readonly passwordPolicy: PasswordPolicy
  readonly cookies: ServiceCookies
  readonly addresses: AddressReader
  readonly requestIds: RequestIds
  readonly mailLanguage: MailLanguage
  /** `null`: one address may delay all others. */
  readonly fairQueue: ServiceQueue | null
  readonly loop: LoopWatch
  readonly hosts: HostCheck
  readonly refusedHosts: RefusedHosts
  /** `null` in production: forgers choose them. */
  readonly refusedOrigins: RefusedOrigins | null
  readonly security: SecurityHeaders
  /** How the pages look and read. */
  readonly pages: PageSettings
  /** The providers that there are pages for; `null`: none. */
  readonly providers: ProviderSettings | null
  /** The limit of kept posts from providers, per address. */
  readonly postedLimit: () => RateLimit
  /** The pages by which people answer clients. */
  readonly authorizationPages: AuthorizationPages
  /** Decides which pages of other origins may read responses. */
  readonly cors: ServiceCors
  /** Passes on the events of other packages. */
  readonly announce: Announce
  /** Announces what the service itself decides. */
  readonly emit: Emit<ServerEvent>
  /** `null` if there are no measurements. */
  readonly measuring: Measuring | null
  readonly now: () => number
  /** Answers in the form of GraphQL that the service could not be opened. */
  readonly unopened: RequestSteps
}

/** The features' parts of a plan. */
export interface FeatureParts {
  readonly schemas: readonly FeatureSchema[]
  /** Creates the pages by which people answer clients. */
  readonly createPages: (look: Pick<ServicePlan, 'security' | 'pages'>) => AuthorizationPages
}

/** @throws TypeError that names what is missing or cannot be used, and every field without a rule. */
export function planService(options: FlatOptions, { schemas, createPages }: FeatureParts): ServicePlan {
  checkOptions(options)
  const { transport, trustedProxies = [], limits = {}, errors = {}, onEvent, onMeasurement, telemetry } = options
  const now = () => options.stores.records.now()
  const lifetimes = readLifetimes(options.lifetimes)
  const base = readBaseUrl(options)
  checkPasskeyDomain(options, base)
  checkDevelopmentPages(options.developmentPages, base.environment)
  checkMailer(options.mailer, base.environment)
  const { schema, policy, rules } = createServiceSchema(options, schemas)
  const { introspection = base.environment === 'production' ? 'refused' : 'public', ownership = 'reject' } = options
  const access = namedByPath(graphqlPaths, () =>
    compileAccess({ schema, policy, rules, introspection, ownership, errors, limits, now }),
  )
  checkStreamLimits(options, access)
  const announce = createAnnouncer(onEvent, telemetry)
  const emit: Emit<ServerEvent> = (decision) => announce(toEvent<ServerEvent>(decision, now()))
  const security = createSecurityHeaders({ https: base.https })
  const pages = readPageSettings(options.pages, base.origins)
  const addresses = namedByPath({ trustedProxies: 'http.trustedProxies' }, () =>
    createAddressReader({ trustedProxies }),
  )
  const requestIds = createRequestIds({ trustedProxies })
  const unopened = {
    ...endpointOf(options),
    access,
    identify: anonymous,
    headers: security.api,
    observe: { onEvent: announce, requestId: requestIds.of },
    addresses,
    now,
  }
  const path = readPath(options.path)
  const resources = createServiceResources(options, base, path)
  return {
    options,
    base,
    path,
    resources,
    authorizationPaths: authorizationPathsOf(options, resources),
    policy,
    access,
    lifetimes,
    familyReads: readFamilyOf(options.stores),
    accessTokens: readAccessTokens(options.accessTokens),
    passwordPolicy: readPasswordPolicy(options, { onEvent: announce, now }),
    cookies: createServiceCookies({
      lifetimes,
      transport,
      cookies: options.cookies,
      ...(options.rememberDevices && { rememberDays: options.rememberDevices.days }),
      ...(options.emailCode && { codeSeconds: readEmailCode(options.emailCode).lifetimeSeconds }),
    }),
    addresses,
    requestIds,
    mailLanguage: createMailLanguage(options.mails),
    fairQueue: createServiceQueue(options.fairQueue, { addresses, emit }),
    loop: createLoopWatch(readLoopLimit(options.maxLoopDelayMs)),
    hosts: createHostCheck({ hosts: base.hosts, trustedProxies }),
    refusedHosts: createRefusedHosts({ emit, now }),
    refusedOrigins: base.environment === 'development' ? createRefusedOrigins({ emit, allowed: base.origins }) : null,
    security,
    pages,
    providers: readProviderSettings(options, base.origin),
    postedLimit: createPostedLimit(now),
    authorizationPages: createPages({ security, pages }),
    cors: createServiceCors({ ...options, environment: base.environment }),
    announce,
    emit,
    measuring: createMeasuring(onMeasurement, telemetry),
    now,
    unopened: namedByPath(graphqlPaths, () => createRequestSteps(unopened)),
  }
}

/** Option names of `@latchkey/graphql`, with their paths in `createServer`. */
const graphqlPaths = {
  introspection: 'graphql.introspection',
  ownership: 'graphql.ownership',
  errors: 'graphql.errors',
  limits: 'graphql.documentLimits',
  requestLimits: 'graphql.requestLimits',
  rateLimit: 'graphql.rateLimit',
  trustedDocuments: 'graphql.trustedDocuments',
  statusProfile: 'graphql.statusProfile',
} as const

const anonymous = { read: async () => ({ credential: null, identity: null }) }
