import type { allowNativeDelivery, allowUnlimitedAttempts, Mailer } from '@latchkey/accounts'
import type { SecretKeys } from '@latchkey/bytes'
import type { DocumentLimits, EndpointOptions, StreamLimits } from '@latchkey/graphql'
import type { allowPlainHttpOnLoopback, HttpRequest, TurnLimits } from '@latchkey/http'
import type { PasswordHasher, PasswordPolicy } from '@latchkey/password'
import type { AnyPolicy, RoleOf, RuleOf } from '@latchkey/rbac'
import type { ServerContext } from '../accounts-schema/server-context.ts'
import type { AuthorizationServerOption } from '../clients/authorization-server.ts'
import type { IdentityCacheOptions } from '../identity-cache/identity-cache.ts'
import type { AccessTokenOptions } from '../settings/access-tokens.ts'
import type { AuditingOptions, allowUnaudited } from '../settings/auditing.ts'
import type { ServerEvent } from '../settings/events/server-event.ts'
import type { ServiceTelemetry } from '../settings/events/service-telemetry.ts'
import type { GuessingOptions } from '../settings/guessing.ts'
import type { Lifetimes } from '../settings/lifetimes.ts'
import type { ServerMeasurement } from '../settings/measuring.ts'
import type { PageOptions } from '../settings/page-settings.ts'
import type { CookieOptions } from '../settings/service-cookies.ts'
import type { allowOneAddressToDelayAll } from '../settings/turns.ts'
import type { AccountLifeOptions } from './account-life.ts'
import type { BreachedPasswordOptions } from './breached-passwords.ts'
import type { ChangingRolesOptions } from './changing-roles.ts'
import type { DevelopmentPages } from './development-pages.ts'
import type { SchemaOptions } from './schema-options.ts'
import type { SecondFactorOptions } from './second-factors.ts'
import type { ServerStores } from './server-stores.ts'

/** The source of the root secrets. Every key of the service is derived from them, each for one purpose. */
export interface SecretSource {
  /** Returns the secrets; called once, when the service opens. The first one writes, every one reads. */
  load(): Promise<SecretKeys>
}

/** The options of a server: those that every server has, and the schema in one of two forms. */
export type ServerOptions<P extends AnyPolicy, Added = unknown> = ServiceOptions<P, Added> & SchemaOptions<P, Added>

export interface ServiceOptions<P extends AnyPolicy, Added = unknown>
  extends EndpointOptions,
    SecondFactorOptions<RoleOf<P>>,
    AccountLifeOptions,
    AuthorizationServerOption {
  /** The public origin: links, the issuer of tokens and the allowed origin follow from it. `http:` on loopback only. */
  readonly baseUrl: string
  /**
   * The path of the GraphQL endpoint, such as `/api/graphql`; server-sent events are at `stream` below it.
   * @default '/graphql'
   */
  readonly path?: string
  /** Sends the mails with the links. It is called after the answer; its failure is an event. */
  readonly mailer: Mailer
  /** The root of every key of the service. */
  readonly secrets: SecretSource
  readonly stores: ServerStores
  /** The role of a new account, or `'closed'`: accounts are created by administrators only. */
  readonly signUp: { readonly role: RoleOf<P> } | 'closed'
  /** Permissions and roles, by `definePolicy` of `@latchkey/rbac`. The names of its roles become the enum `Role`. */
  readonly policy: P
  /** Roles that change while the service runs, in addition to those of `policy`. Omitted: there are no others. */
  readonly roles?: ChangingRolesOptions
  /**
   * Further origins of this service, as browsers write them: its pages may send requests from them, and their hosts are
   * served. They decide about requests without Fetch Metadata. This is not CORS: pages of other services are named in
   * `corsOrigins`.
   */
  readonly allowedOrigins?: readonly string[]
  /**
   * Further hosts that are served, such as `10.0.0.5:4000` or the name within a cluster. A request for another host than
   * these and those of `baseUrl` and `allowedOrigins` is answered 421; in development on loopback, `localhost` and
   * `127.0.0.1` at the port of `baseUrl` are served too. `/healthz` and `/readyz` answer for every host.
   */
  readonly allowedHosts?: readonly string[]
  /**
   * Origins of other services whose pages may read answers of the endpoint, as browsers write them (CORS): with a bearer
   * token, never with cookies. It loosens no check against forged requests: to that their pages stay foreign. Refused in
   * production: `http:`. Omitted: none.
   */
  readonly corsOrigins?: readonly string[]
  /**
   * Proxies whose `X-Forwarded-For` and `X-Forwarded-Host` count: addresses or CIDR ranges. They must write both themselves,
   * or remove what clients send. Omitted: none.
   */
  readonly trustedProxies?: readonly string[]
  /**
   * `allowPlainHttpOnLoopback` names the cookies `latchkey-…` without `Secure`, for clients that refuse the others. Only
   * where `baseUrl` and every further origin and host are on loopback.
   */
  readonly transport?: typeof allowPlainHttpOnLoopback
  /** How long sessions, tokens and links are valid: what is omitted has its default. */
  readonly lifetimes?: Partial<Lifetimes>
  /** How access tokens are signed, and how other services can verify them by themselves. */
  readonly accessTokens?: AccessTokenOptions
  /**
   * Lets requests use what was read of a session and its account for a stated time, with revocations pushed to every
   * process. Omitted: each request reads it, and what was ended is refused from the next request on, in every process.
   */
  readonly identityCache?: IdentityCacheOptions
  /** How the session cookie and the refresh cookie are named and written. */
  readonly cookies?: CookieOptions
  /** How the pages look and read, such as `/sign-in` and `/account`. Omitted: in English, without a name. */
  readonly pages?: PageOptions
  /** `allowNativeDelivery` lets applications outside browsers get both tokens in the body. Omitted: refused. */
  readonly nativeDelivery?: typeof allowNativeDelivery
  /**
   * `production` hides the schema and the suggestions of its validation, and refuses `http:` and `transport`. It is the
   * default unless `baseUrl` is `http:` and `isProduction()` of `@latchkey/http` is false.
   */
  readonly environment?: 'development' | 'production'
  /**
   * A start page at `/` and GraphiQL at `/graphiql`, by `createDevelopmentPages` of `@latchkey/server/node`. Refused in
   * production. Omitted: there are none.
   */
  readonly developmentPages?: DevelopmentPages
  /**
   * The rule of `__schema` and `__type`, or `refused` for every identity.
   * @default 'public' in development, 'refused' in production
   */
  readonly introspection?: 'refused' | RuleOf<P>
  /**
   * The effect of a refusal that is found while a query executes: `reject` the whole answer with 403, or leave the field null
   * and answer `partial`ly. Below the root of a mutation it is always `partial`, because the mutation has happened.
   * @default 'reject'
   */
  readonly ownership?: 'reject' | 'partial'
  /**
   * Returns what resolvers have in their context besides, for each operation, such as loaders and services. It must not have
   * the names of a `ServerContext`. Write it before `resolvers`, so that their types know it.
   */
  readonly context?: (base: ServerContext<P>, request: HttpRequest) => Added
  /** The limits of one document: what is omitted has the default of `compileAccess`. */
  readonly limits?: Partial<DocumentLimits>
  /** The limits of subscriptions: what is omitted has the default of `createSubscriptions`. */
  readonly streamLimits?: Partial<StreamLimits>
  /**
   * How much one address may take of the event loop before its requests take turns with those of others: what is omitted has
   * the default of `createFairTurns` of `@latchkey/http`. `allowOneAddressToDelayAll` turns it off.
   */
  readonly turns?: TurnLimits | typeof allowOneAddressToDelayAll
  /**
   * Rejects while something else that the service needs cannot be used, such as the database of the application: `/readyz`
   * answers 503 then, also when it has not answered within 2 s.
   */
  readonly check?: () => Promise<void>
  /**
   * The longest random delay before a mail is sent, at most 60000, so that its work does not show in the times of other
   * requests. 0 is for tests.
   * @default 2000
   */
  readonly mailDelayMs?: number
  /**
   * How many passwords and codes may be wrong, where other numbers are needed than those of `createGuessingLimits`.
   * `allowUnlimitedAttempts` lets anyone guess without end: for a test.
   */
  readonly guessing?: GuessingOptions | typeof allowUnlimitedAttempts
  /**
   * How the audit log is kept, in which every decision about an account is written before its effect and after it. It is on
   * wherever there is `stores.audit`; `allowUnaudited` leaves it out.
   */
  readonly audit?: AuditingOptions | typeof allowUnaudited
  /** Omitted: Argon2id outside the event loop. A hasher of yours is yours to close. */
  readonly passwords?: PasswordHasher
  /** Omitted: at least 15 characters, and no common password. */
  readonly passwordPolicy?: PasswordPolicy
  /**
   * Looks new passwords up in known breaches, and says what one is when that cannot be done: `{ whenUnavailable: 'accept' }` or
   * `'refuse'`. Every loss is the event `breach-check.failed`. Refused beside `passwordPolicy`, which has a `breachCheck` of its own.
   * Omitted: nothing is asked of anyone.
   */
  readonly breachedPasswords?: BreachedPasswordOptions
  /**
   * Receives every decision; so does the diagnostics channel `latchkey:event`. What it throws is ignored. Without a
   * listener, failures are printed with `console.error`.
   */
  readonly onEvent?: (event: ServerEvent) => void
  /**
   * Receives what each request and each hash of a password cost; so does the diagnostics channel `latchkey:measurement` where
   * it had a subscriber when the server was created. What it throws is ignored. Omitted: nothing is measured.
   */
  readonly onMeasurement?: (measurement: ServerMeasurement) => void
  /**
   * Traces and metrics by OpenTelemetry: `createTelemetry()` of `@latchkey/telemetry`. Omitted: there are none.
   */
  readonly telemetry?: ServiceTelemetry
  /**
   * The clock, epoch milliseconds, for tests: the stores must have the same one.
   * @default that of `stores.records`, by which all processes agree
   */
  readonly now?: () => number
}
