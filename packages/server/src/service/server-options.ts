import { type AccountDirectory, type AccountStore, allowNativeDelivery, type Mailer } from '@latchkey/accounts'
import type { SecretKeys } from '@latchkey/bytes'
import type { EndpointOptions, Limits, StreamLimits } from '@latchkey/graphql'
import type { allowPlainHttpOnLoopback } from '@latchkey/http'
import type { KeyStore } from '@latchkey/jwt'
import { checkOptionNames } from '@latchkey/options'
import type { PasswordHasher, PasswordPolicy } from '@latchkey/password'
import type { AnyPolicy, RoleOf } from '@latchkey/rbac'
import type { RecordStore } from '@latchkey/store'
import type { Lifetimes } from '../settings/lifetimes.ts'
import type { ServerEvent } from '../settings/server-event.ts'
import type { CookieOptions } from '../settings/service-cookies.ts'
import { type ChangingRolesOptions, checkChangingRoles } from './changing-roles.ts'
import { checkSchemaOptions, type SchemaOptions } from './schema-options.ts'

/**
 * What a service keeps its data in. `createSqliteStores` of `@latchkey/sql` gives all of it. A store that cannot answer
 * throws the `StoreError` of `@latchkey/store`: that is answered 503, whatever else it throws is a failure of ours.
 */
export interface ServerStores {
  /** Sessions, refresh families and links. Its consistency must be `strong`. */
  readonly records: RecordStore
  readonly accounts: AccountStore & AccountDirectory
  /** The sealed signing keys. */
  readonly keys: KeyStore
  /** Creates or upgrades the tables. */
  migrate?(): Promise<unknown>
  /** The SQL that `migrate` runs on a new database: what `latchkey migrate --print` shows. */
  migrationSql?(): string
  /** Rejects while the stores cannot be used. Asked when the service opens, and by `/readyz`. */
  check?(): Promise<void>
  /** Called once, when the server closes. */
  close?(): Promise<void>
}

/** Where the root secrets of a service come from. Every key of the service is derived from them, each for one purpose. */
export interface SecretSource {
  /** Returns the secrets; called once, when the service opens. The first one writes, every one reads. */
  load(): Promise<SecretKeys>
}

/** The options of a server: those that every server has, and one of the two ways to give a schema. */
export type ServerOptions<P extends AnyPolicy> = ServiceOptions<P> & SchemaOptions<P>

export interface ServiceOptions<P extends AnyPolicy> extends EndpointOptions {
  /** The origin that people use: links, the issuer of tokens and the allowed origin follow from it. `http:` on loopback only. */
  readonly baseUrl: string
  /** Sends the mails with the links. It is called after the answer; its failure is an event. */
  readonly mailer: Mailer
  /** The root of every key of the service. */
  readonly secrets: SecretSource
  readonly stores: ServerStores
  /** The role of somebody who signs up, or nobody may. */
  readonly signUp: { readonly role: RoleOf<P> } | 'closed'
  /** Who may do what, by `definePolicy` of `@latchkey/rbac`. The names of its roles become the enum `Role`. */
  readonly policy: P
  /** Roles that change while the service runs, over those that `policy` writes; left out, there are no others. */
  readonly roles?: ChangingRolesOptions
  /**
   * Further origins under which people reach this very service, as browsers write them. Browsers that send no Fetch
   * Metadata are judged by this list. It is no CORS: pages of other services stay out.
   */
  readonly allowedOrigins?: readonly string[]
  /** Proxies whose word on the client's address counts: addresses or CIDR ranges. None unless told. */
  readonly trustedProxies?: readonly string[]
  /** `allowPlainHttpOnLoopback` names the cookies `latchkey-…` without `Secure`, for clients that refuse the others. */
  readonly transport?: typeof allowPlainHttpOnLoopback
  /** How long sessions, tokens and links last: what is left out has its default. */
  readonly lifetimes?: Partial<Lifetimes>
  /** How the session cookie and the refresh cookie are written. */
  readonly cookies?: CookieOptions
  /** `allowNativeDelivery` lets applications outside browsers have both tokens in the body. */
  readonly nativeDelivery?: typeof allowNativeDelivery
  /**
   * `production` hides the schema and the suggestions of its validation, and refuses `http:` and `transport`. It is the
   * default unless `baseUrl` is `http:` and `isProduction()` of `@latchkey/http` is false.
   */
  readonly environment?: 'development' | 'production'
  /** How much one document may ask for: what is left out has the default of `compileAccess`. */
  readonly limits?: Partial<Limits>
  /** How many subscriptions may be open, and how soon they end: what is left out has its default. */
  readonly streamLimits?: Partial<StreamLimits>
  /**
   * A mail starts after a random time of up to so many milliseconds, so that its work shows in nobody's times: 2000
   * unless told, at most 60000. 0 is for tests.
   */
  readonly mailDelayMs?: number
  /** Argon2id off the event loop unless told. One that is given is yours to close. */
  readonly passwords?: PasswordHasher
  /** At least 15 characters and no common password unless told. */
  readonly passwordPolicy?: PasswordPolicy
  /**
   * Hears every decision; so does the diagnostics channel `latchkey:event`. What it throws is ignored. Where nobody
   * listens, failures go to `console.error`.
   */
  readonly onEvent?: (event: ServerEvent) => void
  /** The clock, epoch milliseconds; `Date.now` unless told. */
  readonly now?: () => number
}

/** The parts, and a method by which each is known. */
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
  trustedProxies: true,
  transport: true,
  lifetimes: true,
  cookies: true,
  nativeDelivery: true,
  environment: true,
  limits: true,
  streamLimits: true,
  mailDelayMs: true,
  passwords: true,
  passwordPolicy: true,
  onEvent: true,
  now: true,
} as const

/** @throws TypeError naming the option that is missing, unknown, or cannot be used. */
export function checkOptions(options: ServerOptions<AnyPolicy>): void {
  checkOptionNames('createServer', options, optionNames)
  for (const [name, [part, method]] of Object.entries(parts)) {
    const given = part(options) as Readonly<Record<string, unknown>> | null | undefined
    if (typeof given?.[method] !== 'function') throw new TypeError(`"${name}" is required and must have "${method}"`)
  }
  const { stores, policy, signUp } = options
  if (typeof stores.accounts.list !== 'function') throw new TypeError('"stores.accounts" must be able to "list"')
  if (stores.records.capabilities.consistency !== 'strong') {
    throw new TypeError('"stores.records" must be strongly consistent: links and refresh tokens work once')
  }
  if (policy.roles.length === 0) throw new TypeError('"policy" must have a role')
  if (options.roles === undefined) checkRoleNames(policy.roles)
  else checkChangingRoles(options.roles)
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

/** What is used when the service opens is judged now, while somebody looks. */
function checkChoices({ nativeDelivery, mailDelayMs = 0, passwords, passwordPolicy }: ServiceOptions<AnyPolicy>): void {
  if (nativeDelivery !== undefined && nativeDelivery !== allowNativeDelivery) {
    throw new TypeError('"nativeDelivery" must be allowNativeDelivery or left out')
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
