import {
  type Account,
  type Accounts,
  type AccountsOptions,
  createAccounts,
  createKnownDevices,
  type KnownDevices,
} from '@latchkey/accounts'
import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import {
  createDenyList,
  createJwtSigner,
  createJwtVerifier,
  type DenyList,
  type JwtVerifier,
  type KeyRing,
} from '@latchkey/jwt'
import type { PasswordHasher } from '@latchkey/password'
import type { AnyPolicy, OpenRoles } from '@latchkey/rbac'
import {
  createRefreshTokens,
  createSessions,
  type RefreshTokens,
  type Sessions,
  type SessionsEvent,
} from '@latchkey/sessions'
import type { ServiceAuthorizationServer } from '../options/oauth/authorization-server.ts'
import { accountProviders } from '../options/server/account-life.ts'
import { mayGrantToKey } from '../options/server/api-keys.ts'
import type { FlatOptions } from '../options/server/flat-options.ts'
import { mayImpersonate } from '../options/server/impersonation.ts'
import type { SecondFactors } from '../options/server/second-factors.ts'
import { acceptedAlgorithms } from '../options/sessions/access-tokens.ts'
import { createServiceLimits } from '../options/sign-in/guessing.ts'
import { denyEndedFamilies, denyEndedSessions } from './deny-ended.ts'
import type { ServicePlan } from './plan/service-plan.ts'

export function createServiceSessions(plan: ServicePlan, storedVersion: () => number): Sessions {
  const { sessionSeconds, sessionIdleSeconds } = plan.lifetimes
  return createSessions({
    ...recordsOf(plan),
    storedVersion,
    ttlSeconds: sessionSeconds,
    idleSeconds: sessionIdleSeconds,
    touchIntervalSeconds: Math.min(60, sessionIdleSeconds / 2),
  })
}

export interface ServiceAccountsParts {
  readonly secrets: SecretKeys
  readonly keys: KeyRing
  readonly passwords: PasswordHasher
  readonly sessions: Sessions
  readonly denyList: DenyList
  readonly secondFactors: SecondFactors
  /** `null` without an audit log. */
  readonly auditing: Required<AccountsOptions>['audit'] | null
  /** Returns the version of stored values to write. */
  readonly storedVersion: () => number
  /** Revokes the tokens that clients got from a session; `null` without clients. */
  readonly authorization: Pick<ServiceAuthorizationServer, 'bindSessions'> | null
  /** The service's part of the export of an account. */
  readonly exported: Required<AccountsOptions>['dataExport']
  /** Changing roles; `null` if only the policy has roles. */
  readonly roles: Pick<OpenRoles<AnyPolicy>, 'refresh'> | null
}

export function createServiceAccounts(
  plan: ServicePlan,
  { secrets, keys, passwords, denyList, secondFactors, auditing, storedVersion, ...parts }: ServiceAccountsParts,
): Accounts {
  const { options, lifetimes, passwordPolicy } = plan
  const { stores, signUp } = options
  const refreshTokens = createServiceRefreshTokens(plan, { secrets, storedVersion })
  const sessions = parts.authorization?.bindSessions(parts.sessions) ?? parts.sessions
  return createAccounts({
    records: stores.records,
    accounts: stores.accounts,
    now: plan.now,
    onEvent: plan.announce,
    storedVersion,
    passwordHasher: passwords,
    passwordPolicy,
    sessions: denyEndedSessions(sessions, denyList),
    refreshTokens: denyEndedFamilies(refreshTokens, denyList),
    accessTokens: createJwtSigner({ ...tokensOf(plan, keys), ttlSeconds: lifetimes.accessTokenSeconds }),
    signUp,
    signIn: signInOf(plan, { secrets, secondFactors }),
    mails: mailsOf(plan),
    dataExport: { ...parts.exported, ...options.dataExport },
    ...lifeOf(plan, parts.roles),
    denyList,
    ...(auditing && { audit: auditing }),
    ...(stores.counters && { counters: stores.counters }),
  })
}

function signInOf(
  plan: ServicePlan,
  { secrets, secondFactors }: Pick<ServiceAccountsParts, 'secrets' | 'secondFactors'>,
): AccountsOptions['signIn'] {
  const { options, now } = plan
  const { accessTokens, nativeDelivery, secondFactor, rememberDevices, emailCode } = options
  const providers = accountProviders(options.providers)
  return {
    ...secondFactors,
    attemptLimits: createServiceLimits(options, { secrets, now }),
    knownDevices: createServiceKnownDevices(plan, secrets),
    ...(secondFactor && { secondFactor }),
    ...(rememberDevices && { trustedDevices: rememberDevices }),
    ...(emailCode && { emailCode }),
    ...(providers && { providers }),
    ...(nativeDelivery && { nativeDelivery }),
    ...(accessTokens?.claims && { accessTokenClaims: accessTokens.claims }),
  }
}

function mailsOf({ options, base, lifetimes }: ServicePlan): AccountsOptions['mails'] {
  const { mailer, mails, mailDelayMs } = options
  return {
    ...mails,
    mailer,
    baseUrl: base.origin,
    linkSeconds: {
      verifyEmail: lifetimes.verificationLinkSeconds,
      resetPassword: lifetimes.resetLinkSeconds,
      confirmEmailChange: lifetimes.emailChangeLinkSeconds,
    },
    ...(mailDelayMs !== undefined && { maxDelayMs: mailDelayMs }),
  }
}

type Parties = Parameters<Required<AccountsOptions>['impersonation']['mayImpersonate']>

/**
 * Returns the account options. Accounts that may assign roles are administrators, of whom the last cannot be removed.
 */
function lifeOf({ options, policy }: ServicePlan, roles: ServiceAccountsParts['roles']) {
  const { stores, undoDays, deletion, impersonation, apiKeys } = options
  const isAdministrator = ({ id, roles }: Account): boolean =>
    policy.can(policy.identify({ subject: id, roles }), 'accounts:update')
  return {
    // Commands reset factors that this process does not offer.
    documents: stores.documents,
    ...(undoDays !== undefined && { emailUndoDays: undoDays }),
    ...(deletion && { deletion }),
    ...(impersonation && {
      impersonation: {
        ...impersonation,
        // Called before the identity is made, which would read the roles.
        async mayImpersonate(...parties: Parties) {
          await roles?.refresh()
          return mayImpersonate(policy, ...parties)
        },
      },
    }),
    ...(apiKeys && { apiKeys: apiKeysOf(policy, apiKeys, roles) }),
    ...(policy.permissions.includes('accounts:update') && { administration: { isAdministrator } }),
  }
}

function apiKeysOf(
  policy: AnyPolicy,
  { scopes, ...limits }: NonNullable<FlatOptions['apiKeys']>,
  roles: ServiceAccountsParts['roles'],
): Required<AccountsOptions>['apiKeys'] {
  return {
    ...limits,
    async mayGrant(account, scope) {
      await roles?.refresh()
      return mayGrantToKey(policy, scopes, account, scope)
    },
  }
}

/** Creates the list of revoked access tokens. */
export function createServiceDenyList(
  { options, lifetimes, accessTokens, now }: ServicePlan,
  storedVersion: () => number,
): DenyList {
  const { documents } = options.stores
  const { maxStalenessSeconds } = accessTokens
  const maxLifetimeSeconds = lifetimes.accessTokenSeconds
  return createDenyList({ documents, maxStalenessSeconds, maxLifetimeSeconds, now, storedVersion })
}

export function createAccessTokenVerifier(plan: ServicePlan, keys: KeyRing): JwtVerifier {
  return createJwtVerifier({ ...tokensOf(plan, keys), algorithms: acceptedAlgorithms })
}

/**
 * In seconds. A client that has lost a response repeats its request at once, so the service's own setting does not
 * apply.
 */
const clientGraceSeconds = 10

export function createClientRefreshTokens(
  plan: ServicePlan,
  { denyList, ...parts }: RefreshTokenParts & { readonly denyList: DenyList },
): RefreshTokens {
  return denyEndedFamilies(createServiceRefreshTokens(plan, parts, clientGraceSeconds), denyList)
}

type RefreshTokenParts = Pick<ServiceAccountsParts, 'secrets' | 'storedVersion'>

function createServiceRefreshTokens(
  plan: ServicePlan,
  { secrets, storedVersion }: RefreshTokenParts,
  graceSeconds = plan.lifetimes.refreshGraceSeconds,
): RefreshTokens {
  const { refreshTokenSeconds, refreshFamilySeconds, refreshRetrySeconds } = plan.lifetimes
  return createRefreshTokens({
    ...recordsOf(plan),
    storedVersion,
    secrets: deriveSecrets(secrets, 'refresh-tokens'),
    ttlSeconds: refreshTokenSeconds,
    familyTtlSeconds: refreshFamilySeconds,
    graceSeconds,
    retrySeconds: refreshRetrySeconds,
  })
}

function createServiceKnownDevices({ lifetimes, now }: ServicePlan, secrets: SecretKeys): KnownDevices {
  return createKnownDevices({
    secrets: deriveSecrets(secrets, 'device-tokens'),
    ttlSeconds: lifetimes.deviceSeconds,
    now,
  })
}

/** Passes on failed touches only: the accounts report all other events of sessions, with more facts. */
function recordsOf({ options: { stores }, announce, now }: ServicePlan) {
  const onEvent = (event: SessionsEvent): void => {
    if (event.type === 'session.touch-failed') announce(event)
  }
  return { records: stores.records, now, onEvent }
}

/** Issuer and audience are this service, so that it refuses tokens of other services, and they refuse its tokens. */
function tokensOf({ base, now }: ServicePlan, keys: KeyRing) {
  return { issuer: base.origin, audience: base.origin, keys, now }
}
