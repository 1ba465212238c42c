import {
  type Account,
  type Accounts,
  type AuditOptions,
  createAccounts,
  createDeviceTokens,
  type DataExportOptions,
  type DeviceTokens,
  type ImpersonationOptions,
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
import { accountProviders } from '../options/server/account-life.ts'
import { mayImpersonate } from '../options/server/impersonation.ts'
import type { SecondFactors } from '../options/server/second-factors.ts'
import { acceptedAlgorithms } from '../options/sessions/access-tokens.ts'
import { createServiceLimits } from '../options/sign-in/guessing.ts'
import { type GivenOut, revokeIssuedTokens } from './clients/revoke-issued-tokens.ts'
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
  /** `null`: nothing is audited. */
  readonly auditing: AuditOptions | null
  /** Returns the version of stored values to write. */
  readonly storedVersion: () => number
  /** Ends what clients of others were given out of a session; `null`: there are none. */
  readonly givenOut: GivenOut | null
  /** What the service exports of an account. */
  readonly exported: DataExportOptions
  /** Roles that change; `null`: those of the policy are all there are. */
  readonly roles: Pick<OpenRoles<AnyPolicy>, 'refresh'> | null
}

export function createServiceAccounts(
  plan: ServicePlan,
  { secrets, keys, passwords, denyList, secondFactors, auditing, storedVersion, ...parts }: ServiceAccountsParts,
): Accounts {
  const { options, base, lifetimes, passwordPolicy } = plan
  const { stores, mailer, mailDelayMs, signUp, nativeDelivery } = options
  const refreshTokens = createServiceRefreshTokens(plan, { secrets, storedVersion })
  const sessions = parts.givenOut ? revokeIssuedTokens(parts.sessions, parts.givenOut) : parts.sessions
  return createAccounts({
    records: stores.records,
    accounts: stores.accounts,
    now: plan.now,
    onEvent: plan.announce,
    storedVersion,
    passwords,
    policy: passwordPolicy,
    sessions: denyEndedSessions(sessions, denyList),
    refreshTokens: denyEndedFamilies(refreshTokens, denyList),
    accessTokens: createJwtSigner({ ...tokensOf(plan, keys), ttlSeconds: lifetimes.accessTokenSeconds }),
    ...(options.accessTokens?.claims && { accessTokenClaims: options.accessTokens.claims }),
    mailer,
    baseUrl: base.origin,
    deviceTokens: createServiceDeviceTokens(plan, secrets),
    limits: createServiceLimits(options, { secrets, now: plan.now }),
    signUp,
    verificationTtlSeconds: lifetimes.verificationLinkSeconds,
    resetTtlSeconds: lifetimes.resetLinkSeconds,
    emailChangeTtlSeconds: lifetimes.emailChangeLinkSeconds,
    dataExport: { ...parts.exported, ...options.dataExport },
    ...lifeOf(plan, parts.roles),
    ...secondFactors,
    ...(options.secondFactor && { secondFactor: options.secondFactor }),
    ...(options.rememberDevices && { rememberDevices: options.rememberDevices }),
    denyList,
    ...(auditing && { auditing }),
    ...(stores.counters && { counters: stores.counters }),
    ...(nativeDelivery && { nativeDelivery }),
    ...(mailDelayMs !== undefined && { mailDelayMs }),
  })
}

type Parties = Parameters<ImpersonationOptions['mayImpersonate']>

/** What of the life of accounts a service offers. Who may give roles is an administrator: one of them is always left. */
function lifeOf({ options, policy }: ServicePlan, roles: ServiceAccountsParts['roles']) {
  const { stores, mails, undoDays, emailCode, deletion, impersonation } = options
  const providers = accountProviders(options.providers)
  const isAdministrator = ({ id, roles }: Account): boolean =>
    policy.can(policy.identify({ subject: id, roles }), 'accounts:update')
  return {
    documents: stores.documents,
    ...(stores.links && { links: stores.links }),
    ...(mails && { mails }),
    ...(undoDays !== undefined && { undoDays }),
    ...(emailCode && { emailCode }),
    ...(providers && { providers }),
    ...(deletion && { deletion }),
    ...(impersonation && {
      impersonation: {
        ...impersonation,
        // It is asked before the identity is made, for which the roles are read otherwise.
        async mayImpersonate(...parties: Parties) {
          await roles?.refresh()
          return mayImpersonate(policy, ...parties)
        },
      },
    }),
    ...(policy.permissions.includes('accounts:update') && { administration: { isAdministrator } }),
  }
}

/** Returns what knows the tokens that were ended before their time. */
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

/** A client that has lost an answer asks again at once, whatever is set for the service's own. */
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
  const { refreshTokenSeconds, refreshFamilySeconds } = plan.lifetimes
  return createRefreshTokens({
    ...recordsOf(plan),
    storedVersion,
    secrets: deriveSecrets(secrets, 'refresh-tokens'),
    ttlSeconds: refreshTokenSeconds,
    familyTtlSeconds: refreshFamilySeconds,
    graceSeconds,
  })
}

function createServiceDeviceTokens({ lifetimes, now }: ServicePlan, secrets: SecretKeys): DeviceTokens {
  return createDeviceTokens({
    secrets: deriveSecrets(secrets, 'device-tokens'),
    ttlSeconds: lifetimes.deviceSeconds,
    now,
  })
}

/** What becomes of sessions is decided by the accounts, which say it with all that they know: only the rest is passed on. */
function recordsOf({ options: { stores }, announce, now }: ServicePlan) {
  const onEvent = (event: SessionsEvent): void => {
    if (event.type === 'session.touch-failed') announce(event)
  }
  return { records: stores.records, now, onEvent }
}

/** Issuer and audience are this service: no token of another one is accepted here, and none of it elsewhere. */
function tokensOf({ base, now }: ServicePlan, keys: KeyRing) {
  return { issuer: base.origin, audience: base.origin, keys, now }
}
