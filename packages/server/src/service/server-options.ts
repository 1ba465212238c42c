import {
  type AccountDirectory,
  type AccountStore,
  allowNativeDelivery,
  type IdentityStore,
  type Mailer,
  type ProfileStore,
  type unlimitedGuessing,
} from '@latchkey/accounts'
import type { SecretKeys } from '@latchkey/bytes'
import type { EndpointOptions, Limits, StreamLimits } from '@latchkey/graphql'
import type { allowPlainHttpOnLoopback, HttpRequest } from '@latchkey/http'
import type { DenialStore, KeyStore } from '@latchkey/jwt'
import { checkOptionNames } from '@latchkey/options'
import type { PasswordHasher, PasswordPolicy } from '@latchkey/password'
import type { AnyPolicy, RoleOf, RuleOf } from '@latchkey/rbac'
import {
  type AuditStore,
  type ClientStore,
  type CounterStore,
  checkRecordStore,
  type FactorStore,
  type GrantStore,
  type LinkStore,
  type LockoutStore,
  type RecordStore,
  type VersionStore,
} from '@latchkey/store'
import type { ServerContext } from '../accounts-schema/server-context.ts'
import type { AccessTokenOptions } from '../settings/access-tokens.ts'
import { checkGuessing, type GuessingOptions } from '../settings/guessing.ts'
import type { Lifetimes } from '../settings/lifetimes.ts'
import type { ServerMeasurement } from '../settings/measuring.ts'
import type { PageOptions } from '../settings/page-settings.ts'
import type { ServerEvent } from '../settings/server-event.ts'
import type { CookieOptions } from '../settings/service-cookies.ts'
import { type ChangingRolesOptions, checkChangingRoles } from './changing-roles.ts'
import type { DevelopmentPages } from './development-pages.ts'
import { checkSchemaOptions, type SchemaOptions } from './schema-options.ts'
import { checkSecondFactors, type SecondFactorOptions } from './second-factors.ts'

/**
 * The stores of a service; `createSqliteStores` and `createPostgresStores` of `@latchkey/sql` return all of them. A store
 * that cannot answer throws the `StoreError` of `@latchkey/store`, which is answered 503; anything else is answered 500.
 */
export interface ServerStores {
  /** Sessions, refresh families and links. Its consistency must be `strong`. */
  readonly records: RecordStore
  readonly accounts: AccountStore & AccountDirectory
  /** The sealed signing keys. */
  readonly keys: KeyStore
  /**
   * Which access tokens and sessions were ended before their time: with it `revokeToken` ends a single token, and services
   * that verify tokens by themselves may read it. Omitted: a token ends with its session, in this service only.
   */
  readonly denials?: DenialStore
  /**
   * The version of stored values, by which processes of two releases share the stores. Omitted: there is one release only.
   */
  readonly versions?: VersionStore
  /**
   * Counts attempts at secrets, and the mails that strangers ask for. Omitted: each process counts for itself, and allows as
   * many as all may together. `eventual` counters are refused.
   */
  readonly counters?: CounterStore
  /** Counts wrong passwords and codes in a row, durably. */
  readonly lockouts: LockoutStore
  // What only some features need: a service that uses one refuses to start without its store.
  readonly profiles?: ProfileStore
  readonly factors?: FactorStore
  readonly links?: LinkStore
  readonly clients?: ClientStore
  readonly grants?: GrantStore
  readonly audit?: AuditStore
  readonly identities?: IdentityStore
  /** Creates or upgrades the tables. */
  migrate?(): Promise<unknown>
  /** The SQL that `migrate` runs on a new database: what `latchkey migrate --print` shows. */
  migrationSql?(): string
  /** Rejects while the stores cannot be used. Called when the service opens, and by `/readyz`. */
  check?(): Promise<void>
  /**
   * Returns whether all of it is kept in the memory of this process: commands refuse to change it then. The stores in memory
   * of these packages say so themselves.
   */
  isInMemory?(): boolean | Promise<boolean>
  /** Called once, when the server closes. */
  close?(): Promise<void>
}

/** The source of the root secrets. Every key of the service is derived from them, each for one purpose. */
export interface SecretSource {
  /** Returns the secrets; called once, when the service opens. The first one writes, every one reads. */
  load(): Promise<SecretKeys>
}

/** The options of a server: those that every server has, and the schema in one of two forms. */
export type ServerOptions<P extends AnyPolicy, Added = unknown> = ServiceOptions<P, Added> & SchemaOptions<P, Added>

export interface ServiceOptions<P extends AnyPolicy, Added = unknown> extends EndpointOptions, SecondFactorOptions {
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
  readonly limits?: Partial<Limits>
  /** The limits of subscriptions: what is omitted has the default of `createSubscriptions`. */
  readonly streamLimits?: Partial<StreamLimits>
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
   * `unlimitedGuessing` lets anyone guess without end: for a test.
   */
  readonly guessing?: GuessingOptions | typeof unlimitedGuessing
  /** Omitted: Argon2id outside the event loop. A hasher of yours is yours to close. */
  readonly passwords?: PasswordHasher
  /** Omitted: at least 15 characters, and no common password. */
  readonly passwordPolicy?: PasswordPolicy
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
   * The clock, epoch milliseconds, for tests: the stores must have the same one.
   * @default that of `stores.records`, by which all processes agree
   */
  readonly now?: () => number
}

/** The required parts, and a method by which each is recognized. */
const parts: Readonly<Record<string, readonly [part: (options: ServerOptions<AnyPolicy>) => unknown, method: string]>> =
  {
    mailer: [({ mailer }) => mailer, 'send'],
    secrets: [({ secrets }) => secrets, 'load'],
    'stores.records': [({ stores }) => stores?.records, 'insert'],
    'stores.accounts': [({ stores }) => stores?.accounts, 'getByEmail'],
    'stores.keys': [({ stores }) => stores?.keys, 'retire'],
    policy: [({ policy }) => policy, 'withOwnership'],
  }

/** The options that the GraphQL endpoint takes as they are. */
export const endpointOptionNames: { readonly [Name in keyof Required<EndpointOptions>]: true } = {
  bodyLimitBytes: true,
  urlLimitBytes: true,
  executionTimeoutMs: true,
  batchLimit: true,
  rateLimit: true,
  trustedDocuments: true,
  statusProfile: true,
}

const optionNames = {
  ...endpointOptionNames,
  baseUrl: true,
  path: true,
  mailer: true,
  secrets: true,
  stores: true,
  signUp: true,
  policy: true,
  roles: true,
  typeDefs: true,
  resolvers: true,
  schema: true,
  rules: true,
  allowedOrigins: true,
  allowedHosts: true,
  corsOrigins: true,
  trustedProxies: true,
  transport: true,
  lifetimes: true,
  accessTokens: true,
  cookies: true,
  pages: true,
  nativeDelivery: true,
  environment: true,
  developmentPages: true,
  introspection: true,
  ownership: true,
  context: true,
  limits: true,
  streamLimits: true,
  check: true,
  mailDelayMs: true,
  guessing: true,
  passwords: true,
  passwordPolicy: true,
  totp: true,
  passkeys: true,
  recoveryCodes: true,
  onEvent: true,
  onMeasurement: true,
  now: true,
} as const

/** @throws TypeError that names the option that is missing, unknown, or cannot be used. */
export function checkOptions(options: ServerOptions<AnyPolicy>): void {
  checkOptionNames('createServer', options, optionNames)
  for (const [name, [part, method]] of Object.entries(parts)) {
    const given = part(options) as Readonly<Record<string, unknown>> | null | undefined
    if (typeof given?.[method] !== 'function') throw new TypeError(`"${name}" is required and must have "${method}"`)
  }
  const { stores, policy, signUp } = options
  if (typeof stores.accounts.list !== 'function') throw new TypeError('"stores.accounts" must be able to "list"')
  if (stores.counters !== undefined && typeof stores.counters?.hit !== 'function') {
    throw new TypeError('"stores.counters" must have "hit", or be omitted')
  }
  checkRecordStore(stores.records, 'stores.records')
  if (stores.records.capabilities.consistency !== 'strong') {
    throw new TypeError('"stores.records" must be strongly consistent: links and refresh tokens work once')
  }
  if (stores.denials !== undefined && typeof stores.denials?.isAnyDenied !== 'function') {
    throw new TypeError('"stores.denials" must be a store of denials or omitted')
  }
  if (policy.roles.length === 0) throw new TypeError('"policy" must have a role')
  if (options.roles === undefined) checkRoleNames(policy.roles)
  else checkChangingRoles(options.roles)
  checkSecondFactors(options)
  checkGuessing(options)
  checkSchemaOptions(options)
  checkChoices(options)
  checkSignUp(signUp, policy)
}

function checkSignUp(signUp: ServiceOptions<AnyPolicy>['signUp'], policy: AnyPolicy): void {
  if (signUp === 'closed') return
  if (!policy.roles.includes(signUp?.role)) {
    throw new TypeError('"signUp" must be { role } with a role of the policy, or \'closed\'')
  }
  checkOptionNames('"signUp"', signUp, { role: true })
}

/** These are used when the service opens; a wrong one is refused now. */
function checkChoices(options: ServiceOptions<AnyPolicy>): void {
  const { nativeDelivery, mailDelayMs = 0, passwords, passwordPolicy, context, check, onMeasurement } = options
  if (onMeasurement !== undefined && typeof onMeasurement !== 'function') {
    throw new TypeError('"onMeasurement" must be a function')
  }
  if (check !== undefined && typeof check !== 'function') throw new TypeError('"check" must be a function')
  if (context !== undefined && typeof context !== 'function') throw new TypeError('"context" must be a function')
  if (nativeDelivery !== undefined && nativeDelivery !== allowNativeDelivery) {
    throw new TypeError('"nativeDelivery" must be allowNativeDelivery or omitted')
  }
  if (typeof mailDelayMs !== 'number' || !(mailDelayMs >= 0 && mailDelayMs <= 60_000)) {
    throw new TypeError('"mailDelayMs" must be a number of milliseconds from 0 to 60000')
  }
  if (passwords !== undefined && typeof passwords?.verify !== 'function') {
    throw new TypeError('"passwords" must be a hasher of createPasswordHasher')
  }
  if (passwordPolicy !== undefined && typeof passwordPolicy?.check !== 'function') {
    throw new TypeError('"passwordPolicy" must be a policy of createPasswordPolicy')
  }
}

/** Roles are values of an enum of the schema. */
function checkRoleNames(roles: readonly string[]): void {
  for (const role of roles) {
    if (!/^(?!__|(?:true|false|null)$)[A-Za-z_]\w*$/.test(role)) {
      throw new TypeError(`"policy": the role "${role}" must be a name of GraphQL: letters, digits and _`)
    }
  }
}
