import type { AccountsOptions } from '@latchkey/accounts'
import { checkOptionNames } from '@latchkey/core/internal'
import type { EndpointOptions } from '@latchkey/graphql/internal'
import type { AnyPolicy } from '@latchkey/rbac'
import type { AccountOptions } from '../accounts/accounts-options.ts'
import type { GraphqlOptions } from '../graphql/graphql-options.ts'
import type { HttpOptions } from '../http/http-options.ts'
import type { ObserveOptions } from '../observe/observe-options.ts'
import type { DevelopmentPages } from '../pages/development-pages.ts'
import type { PagesOptions } from '../pages/pages-options.ts'
import type { LifetimeOptions } from '../sessions/lifetimes.ts'
import type { SessionsOptions } from '../sessions/sessions-options.ts'
import type { SignInOptions } from '../sign-in/sign-in-options.ts'
import type { ServerOptions } from './server-options.ts'

type Given = ServerOptions<AnyPolicy>
type Group = 'mails' | 'signIn' | 'sessions' | 'accounts' | 'graphql' | 'http' | 'pages' | 'observe'

/** The options of a server without their groups, as the parts of the service take them. */
export interface FlatOptions
  extends Omit<ServerOptions<AnyPolicy>, Group>,
    Pick<
      SignInOptions<AnyPolicy>,
      | 'passwordPolicy'
      | 'breachedPasswords'
      | 'totp'
      | 'passkeys'
      | 'recoveryCodes'
      | 'secondFactor'
      | 'emailCode'
      | 'providers'
    >,
    Pick<SessionsOptions, 'accessTokens' | 'nativeDelivery'>,
    Omit<AccountOptions, 'emailUndoDays' | 'changingRoles'>,
    Pick<GraphqlOptions<AnyPolicy>, 'path' | 'rules' | 'introspection' | 'ownership' | 'errors' | 'streamLimits'>,
    EndpointOptions,
    HttpOptions,
    Omit<ObserveOptions, 'readiness'> {
  readonly passwords?: Required<SignInOptions<AnyPolicy>>['passwordHasher']
  readonly rememberDevices?: Required<SignInOptions<AnyPolicy>>['trustedDevices']
  readonly guessing?: Required<SignInOptions<AnyPolicy>>['attemptLimits']
  readonly lifetimes: LifetimeOptions
  readonly cookies?: Required<SessionsOptions>['cookie']
  readonly identityCache?: Required<SessionsOptions>['cache']
  readonly undoDays?: Required<AccountOptions>['emailUndoDays']
  readonly roles?: Required<AccountOptions>['changingRoles']
  readonly mailer: Required<ServerOptions<AnyPolicy>['mails']>['mailer']
  readonly mailDelayMs?: Required<ServerOptions<AnyPolicy>['mails']>['maxDelayMs']
  readonly mails: Omit<AccountsOptions['mails'], 'mailer' | 'baseUrl' | 'linkSeconds' | 'maxDelayMs'>
  readonly limits?: Required<GraphqlOptions<AnyPolicy>>['documentLimits']
  readonly pages: Omit<PagesOptions, 'development'>
  readonly developmentPages?: DevelopmentPages
  readonly check?: Required<ObserveOptions>['readiness']
}

const topNames = {
  baseUrl: true,
  environment: true,
  secrets: true,
  stores: true,
  mails: true,
  signUp: true,
  signIn: true,
  sessions: true,
  accounts: true,
  graphql: true,
  http: true,
  pages: true,
  oauth: true,
  mcp: true,
  audit: true,
  observe: true,
  policy: true,
  context: true,
  typeDefs: true,
  resolvers: true,
  schema: true,
} as const

/** Requires every option to be read from its group; omitted options are `undefined`. */
type ReadOptions = { readonly [Name in keyof Required<FlatOptions>]: FlatOptions[Name] | undefined }

type Read<Name extends keyof FlatOptions> = Pick<ReadOptions, Name>

/**
 * Returns the options of a server without their groups.
 *
 * @throws TypeError that names the unknown option by its path.
 */
export function flattenOptions(options: ServerOptions<AnyPolicy>): FlatOptions {
  checkOptionNames<object>('createServer', options, topNames, '')
  const { baseUrl, environment, secrets, stores, policy, signUp, oauth, mcp, audit } = options
  const { typeDefs, resolvers, schema, context } = options
  const read: ReadOptions = {
    ...{ baseUrl, environment, secrets, stores, policy, signUp, oauth, mcp, audit },
    ...{ typeDefs, resolvers, schema, context },
    ...readSignIn(options),
    ...readSessions(options),
    ...readAccounts(options),
    ...readMails(options),
    ...readGraphql(options),
    ...readHttp(options),
    ...readPages(options),
    ...readObserve(options),
    lifetimes: lifetimesOf(options),
  }
  const given = Object.entries(read).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as unknown as FlatOptions
}

function checkNames<Options extends object>(
  group: string,
  options: Options | undefined,
  names: { readonly [Name in keyof Required<Options>]: true },
): Options | Partial<Options> {
  return options === undefined ? {} : checkOptionNames('createServer', options, names, group)
}

function readSignIn({
  signIn,
}: Given): Read<(keyof FlatOptions & keyof SignInOptions<AnyPolicy>) | 'passwords' | 'rememberDevices' | 'guessing'> {
  const {
    passwordHasher,
    trustedDevices,
    attemptLimits,
    knownDeviceSeconds: _seconds,
    ...same
  } = checkNames('signIn', signIn, {
    passwordHasher: true,
    passwordPolicy: true,
    breachedPasswords: true,
    totp: true,
    passkeys: true,
    recoveryCodes: true,
    secondFactor: true,
    trustedDevices: true,
    emailCode: true,
    providers: true,
    attemptLimits: true,
    knownDeviceSeconds: true,
  })
  const { passwordPolicy, breachedPasswords, totp, passkeys, recoveryCodes, secondFactor, emailCode, providers } = same
  return {
    ...{ passwords: passwordHasher, rememberDevices: trustedDevices, guessing: attemptLimits },
    ...{ passwordPolicy, breachedPasswords, totp, passkeys, recoveryCodes, secondFactor, emailCode, providers },
  }
}

function readSessions({ sessions }: Given): Read<'accessTokens' | 'nativeDelivery' | 'cookies' | 'identityCache'> {
  const { accessTokens, nativeDelivery, cookie, cache } = checkNames('sessions', sessions, {
    lifetimeSeconds: true,
    idleSeconds: true,
    refresh: true,
    accessTokens: true,
    cookie: true,
    cache: true,
    nativeDelivery: true,
  })
  return { accessTokens, nativeDelivery, cookies: cookie, identityCache: cache }
}

function readAccounts({ accounts }: Given) {
  const { emailUndoDays, changingRoles, deletion, dataExport, impersonation, apiKeys } = checkNames(
    'accounts',
    accounts,
    {
      emailUndoDays: true,
      deletion: true,
      dataExport: true,
      impersonation: true,
      apiKeys: true,
      changingRoles: true,
    },
  )
  return { undoDays: emailUndoDays, roles: changingRoles, deletion, dataExport, impersonation, apiKeys }
}

function readMails(options: Given) {
  const {
    mailer,
    maxDelayMs,
    linkSeconds: _seconds,
    ...mails
  } = checkNames('mails', options.mails, {
    mailer: true,
    maxDelayMs: true,
    linkSeconds: true,
    language: true,
    texts: true,
    links: true,
    notifyNewDevices: true,
    requestsPerAddress: true,
  })
  return { mailer, mailDelayMs: maxDelayMs, mails }
}

function readGraphql({ graphql }: Given) {
  const { documentLimits, ...same } = checkNames('graphql', graphql, {
    path: true,
    rules: true,
    introspection: true,
    ownership: true,
    errors: true,
    trustedDocuments: true,
    rateLimit: true,
    statusProfile: true,
    documentLimits: true,
    streamLimits: true,
    requestLimits: true,
  })
  const { path, rules, introspection, ownership, errors, streamLimits } = same
  const { requestLimits, trustedDocuments, rateLimit, statusProfile } = same
  return {
    ...{ path, rules, introspection, ownership, errors, streamLimits, limits: documentLimits },
    ...{ requestLimits, trustedDocuments, rateLimit, statusProfile },
  }
}

function readHttp({ http }: Given): Read<keyof HttpOptions> {
  const given = checkNames('http', http, {
    allowedOrigins: true,
    allowedHosts: true,
    corsOrigins: true,
    corsAllowedHeaders: true,
    corsExposedHeaders: true,
    corsMaxAgeSeconds: true,
    trustedProxies: true,
    transport: true,
    fairQueue: true,
    maxLoopDelayMs: true,
  })
  const { allowedOrigins, allowedHosts, trustedProxies, transport, fairQueue, maxLoopDelayMs } = given
  const { corsOrigins, corsAllowedHeaders, corsExposedHeaders, corsMaxAgeSeconds } = given
  return {
    ...{ allowedOrigins, allowedHosts, trustedProxies, transport, fairQueue, maxLoopDelayMs },
    ...{ corsOrigins, corsAllowedHeaders, corsExposedHeaders, corsMaxAgeSeconds },
  }
}

function readPages(options: Given) {
  const { development, ...pages } = checkNames('pages', options.pages, {
    name: true,
    logo: true,
    home: true,
    theme: true,
    language: true,
    translations: true,
    scopes: true,
    development: true,
  })
  return { developmentPages: development, pages }
}

function readObserve({ observe }: Given) {
  const { onEvent, onMeasurement, telemetry, readiness } = checkNames('observe', observe, {
    onEvent: true,
    onMeasurement: true,
    telemetry: true,
    readiness: true,
  })
  return { onEvent, onMeasurement, telemetry, check: readiness }
}

function lifetimesOf({ signIn, sessions, mails }: Given): LifetimeOptions {
  const refresh = checkNames('sessions.refresh', sessions?.refresh, {
    tokenSeconds: true,
    familySeconds: true,
    graceSeconds: true,
    retrySeconds: true,
  })
  const links = checkNames('mails.linkSeconds', mails?.linkSeconds, {
    verifyEmail: true,
    resetPassword: true,
    confirmEmailChange: true,
  })
  return {
    sessionSeconds: sessions?.lifetimeSeconds,
    sessionIdleSeconds: sessions?.idleSeconds,
    refreshTokenSeconds: refresh.tokenSeconds,
    refreshFamilySeconds: refresh.familySeconds,
    refreshGraceSeconds: refresh.graceSeconds,
    refreshRetrySeconds: refresh.retrySeconds,
    accessTokenSeconds: sessions?.accessTokens?.lifetimeSeconds,
    verificationLinkSeconds: links.verifyEmail,
    resetLinkSeconds: links.resetPassword,
    emailChangeLinkSeconds: links.confirmEmailChange,
    deviceSeconds: signIn?.knownDeviceSeconds,
  }
}
