import { type Accounts, type AccountsDirectory, createAccounts } from '@latchkey/accounts'
import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { createGraphqlHandler, type GraphqlHandler, type GraphqlHandlerOptions } from '@latchkey/graphql'
import { createForgeryCheck, createIdentityReader, type ForgeryCheck, type IdentityReader } from '@latchkey/http'
import { createJwtSigner, createJwtVerifier, type KeyRing, openKeyRing } from '@latchkey/jwt'
import { createPasswordHasher, createPasswordPolicy, type PasswordHasher } from '@latchkey/password'
import type { AnyPolicy, Identity, OpenRoles } from '@latchkey/rbac'
import { createRefreshTokens, createSessions, type Sessions } from '@latchkey/sessions'
import { createAccountSession } from '../accounts-schema/account-session.ts'
import { createDeliverer } from '../accounts-schema/deliverer.ts'
import { createIdentification, type IdentityMaker } from '../accounts-schema/identify.ts'
import type { RequestContext } from '../accounts-schema/server-context.ts'
import { readShownCredentials } from '../accounts-schema/shown-credentials.ts'
import { translateError } from '../accounts-schema/translate-error.ts'
import { openChangingRoles } from './changing-roles.ts'
import { endpointOf } from './endpoint-of.ts'
import { startRecordSweep } from './record-sweep.ts'
import type { ServiceFoundation } from './service-foundation.ts'
import { createServiceStreams, type ServiceStreams } from './service-streams.ts'

/** The parts of an open service, as the stages of a request use them. */
export interface Service {
  readonly forgery: ForgeryCheck
  readonly identify: IdentityReader<Identity>
  readonly graphql: GraphqlHandler
  readonly streams: ServiceStreams
  readonly accounts: Accounts & AccountsDirectory
  readonly sessions: Sessions
  readonly roles: OpenRoles<AnyPolicy> | null
  /** Rejects while the stores cannot be used. */
  check(): Promise<void>
  /** Lets a new key sign access tokens. */
  rotateKeys(): Promise<{ readonly keyId: string }>
  /** Lets what is under way finish. */
  settle(): Promise<void>
}

/** Expired records are refused at once whenever they lie there; this only bounds the space they take. */
const sweepIntervalMs = 60_000

/** Reads the secrets, opens the key ring and puts the parts together: the one place that knows them all. */
export async function openService(foundation: ServiceFoundation): Promise<Service> {
  const { options, base, policy, cookies, now } = foundation
  const { stores } = options
  await stores.check?.()
  const secrets = await options.secrets.load()
  const keys = await openKeyRing({
    keys: stores.keys,
    secrets: deriveSecrets(secrets, 'access-token-keys'),
    algorithm: 'HS256',
    now,
  })

  const roles = await openChangingRoles(foundation)
  const identities = roles ?? { identify: async (facts) => policy.identify(facts) }

  const passwords = options.passwords ?? createPasswordHasher({ now })
  const sessions = openSessions(foundation)
  const accounts = openAccounts(foundation, { secrets, keys, passwords, sessions })
  const accessTokens = createJwtVerifier({ ...tokensOf(foundation, keys), algorithms: ['HS256'] })
  const identification = createIdentification({ accounts, identities, sessions, accessTokens })
  const identify = createIdentityReader<Identity>({
    cookie: { cookie: cookies.session, verify: identification.bySession },
    bearer: { verify: identification.byToken },
  })
  const recheck = createIdentityReader<Identity>({
    cookie: { cookie: cookies.session, verify: identification.bySessionUnused },
    bearer: { verify: identification.byToken },
  })
  const forgery = createForgeryCheck({ origins: base.origins, secrets: deriveSecrets(secrets, 'forgery') })
  const endpoint = endpointOptions(foundation, { accounts, sessions, identify, forgery, identities, roles })
  const streams = createServiceStreams({
    ...endpoint,
    ...streamsOf(options),
    recheck,
    expiresAt: identification.expiresAt,
  })
  const sweep = startRecordSweep({ records: stores.records, now, intervalMs: sweepIntervalMs })
  return {
    forgery,
    identify,
    graphql: createGraphqlHandler({ ...endpoint, ...endpointOf(options) }),
    streams,
    accounts,
    sessions,
    roles,
    async check() {
      await stores.check?.()
      await roles?.refresh()
    },
    async rotateKeys() {
      const { id: keyId } = await keys.rotate()
      foundation.announce({ type: 'keys-rotated', at: now(), keyId })
      return { keyId }
    },
    async settle() {
      streams.close()
      await sweep.stop()
      await accounts.settled()
      await sessions.settled()
      if (!options.passwords) await passwords.close()
    },
  }
}

function partsOf({ options: { stores }, announce, now }: ServiceFoundation) {
  const { records, accounts } = stores
  return { records, accounts, now, onEvent: announce }
}

/** A token is for this service and by it: no other one's passes, and none of it passes elsewhere. */
function tokensOf({ base, now }: ServiceFoundation, keys: KeyRing) {
  return { issuer: base.origin, audience: base.origin, keys, now }
}

function openSessions(foundation: ServiceFoundation): Sessions {
  const { sessionSeconds, sessionIdleSeconds } = foundation.lifetimes
  return createSessions({
    ...partsOf(foundation),
    ttlSeconds: sessionSeconds,
    idleSeconds: sessionIdleSeconds,
    touchIntervalSeconds: Math.min(60, sessionIdleSeconds / 2),
  })
}

interface AccountParts {
  readonly secrets: SecretKeys
  readonly keys: KeyRing
  readonly passwords: PasswordHasher
  readonly sessions: Sessions
}

function openAccounts(
  foundation: ServiceFoundation,
  { secrets, keys, passwords, sessions }: AccountParts,
): Accounts & AccountsDirectory {
  const { options, base, lifetimes } = foundation
  const { mailer, mailDelayMs, signUp, nativeDelivery, passwordPolicy: policy = createPasswordPolicy() } = options
  return createAccounts({
    ...partsOf(foundation),
    passwords,
    policy,
    sessions,
    refreshTokens: createRefreshTokens({
      ...partsOf(foundation),
      secrets: deriveSecrets(secrets, 'refresh-tokens'),
      ttlSeconds: lifetimes.refreshTokenSeconds,
      familyTtlSeconds: lifetimes.refreshFamilySeconds,
      graceSeconds: lifetimes.refreshGraceSeconds,
    }),
    accessTokens: createJwtSigner({ ...tokensOf(foundation, keys), ttlSeconds: lifetimes.accessTokenSeconds }),
    mailer,
    baseUrl: base.origin,
    signUp,
    verificationTtlSeconds: lifetimes.verificationLinkSeconds,
    resetTtlSeconds: lifetimes.resetLinkSeconds,
    ...(nativeDelivery && { nativeDelivery }),
    ...(mailDelayMs !== undefined && { mailDelayMs }),
  })
}

interface GraphqlParts extends Pick<Service, 'accounts' | 'sessions' | 'identify' | 'forgery' | 'roles'> {
  readonly identities: IdentityMaker
}

/** Those options of a server that its streams take as they are. */
function streamsOf({ rateLimit, trustedDocuments, streamLimits }: ServiceFoundation['options']) {
  return {
    ...(rateLimit && { rateLimit }),
    ...(trustedDocuments && { trustedDocuments }),
    ...(streamLimits && { limits: streamLimits }),
  }
}

/** What the endpoint and the streams have in common. */
function endpointOptions(foundation: ServiceFoundation, parts: GraphqlParts) {
  const { access, cookies, addresses, announce, now } = foundation
  const { accounts, sessions, identify, forgery, identities, roles } = parts
  return {
    access,
    identify,
    forgery,
    cookies: [cookies.session, cookies.refresh],
    addresses,
    translateError,
    onEvent: announce,
    now,
    context(base, request, { reading }): RequestContext {
      const read = () => readShownCredentials(request, { cookies, addresses, reading })
      const deliverer = createDeliverer({ reply: base.reply, cookies, forgery, now })
      return {
        accounts,
        roles,
        accountSession: createAccountSession({
          base,
          read,
          accounts,
          sessions,
          identities,
          cookies,
          forgery,
          deliverer,
        }),
      }
    },
  } satisfies GraphqlHandlerOptions<AnyPolicy>
}
