import type { Accounts } from '@latchkey/accounts'
import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { describeFailure } from '@latchkey/core/internal'
import type { HttpRequest, HttpResponse } from '@latchkey/http'
import type { DenyList, StoredKeyRing } from '@latchkey/jwt'
import { createRateLimit, type RateLimit } from '@latchkey/rate-limit'
import type { Sessions } from '@latchkey/sessions'
import { createMemoryCounterStore } from '@latchkey/store'
import type { AuthorizationParts, ServiceAuthorizationServer } from '../options/oauth/authorization-server.ts'
import { requestEventFields } from '../options/observe/request-event-fields.ts'
import { readAttempt } from './account-session/presented-credentials.ts'
import { type ClientConsents, createClientConsents } from './clients/client-consents.ts'
import { denyEndedSessions } from './deny-ended.ts'
import type { ServicePlan } from './plan/service-plan.ts'
import { createClientRefreshTokens } from './service-accounts.ts'
import type { ServiceAudit } from './service-audit.ts'
import { createIdTokenKeys, openClientKeys } from './signing-keys.ts'

/** The authorization server of an open service. */
export interface ServiceAuthorization {
  readonly server: ServiceAuthorizationServer
  /** The key rings of clients' tokens: the first signs all tokens, the second id tokens with RS256. */
  readonly rings: readonly [StoredKeyRing, ...StoredKeyRing[]]
}

export interface ServiceAuthorizationParts {
  readonly secrets: SecretKeys
  readonly denyList: DenyList
  readonly recorder: ServiceAudit['recorder']
  readonly sessions: Pick<Sessions, 'readByLineage'>
  readonly storedVersion: () => number
  /**
   * Returns the accounts once the service is open. They depend on the authorization server, whose tokens they revoke.
   */
  readonly accounts: () => Accounts
}

/** Creates the authorization server of the option `oauth`; `null` without the option. */
export async function openAuthorization(
  plan: ServicePlan,
  parts: ServiceAuthorizationParts,
): Promise<ServiceAuthorization | null> {
  const { options, base, now } = plan
  const { documents, records } = options.stores
  const { secrets, denyList, recorder, storedVersion } = parts
  if (!options.oauth) return null
  const keys = await openClientKeys(plan, secrets, storedVersion)
  const rsaKeys = createIdTokenKeys(plan, secrets, storedVersion)
  const rings = rsaKeys ? ([keys, rsaKeys] as const) : ([keys] as const)
  const server = options.oauth({
    issuer: base.origin,
    records,
    documents,
    async aroundGrantChange(change, make, request) {
      const step = recorder.plan({ ...change, ...originOf(plan, request) })
      await step.begin()
      await ((await make()) ? step.doneSilently() : step.failed())
    },
    secrets: deriveSecrets(secrets, 'oauth'),
    keys,
    idTokenKeys: rings,
    ...(plan.pages.name !== null && { serviceName: plan.pages.name }),
    refreshTokens: createClientRefreshTokens(plan, { ...parts, denyList }),
    resources: addressesOf(plan.resources),
    scopes: [...plan.policy.permissions, ...plan.policy.scopes],
    ...accountPartsOf(plan, parts),
    ...plan.authorizationPages,
    clientLimit: createLimit(plan, secrets, { name: 'oauth-client', limit: 30 }),
    userCodeLimit: createLimit(plan, secrets, { name: 'oauth-user-code', limit: 5 }),
    addressOf: (request) => limitKeyOf(plan, request),
    sessionSameSite: options.cookies?.sameSite ?? 'Lax',
    ...(options.transport && { transport: options.transport }),
    accessTokenSeconds: plan.lifetimes.accessTokenSeconds,
    sessionSeconds: plan.lifetimes.sessionSeconds,
    corsOrigins: options.corsOrigins ?? [],
    now,
    storedVersion,
    onEvent: plan.announce,
  })
  return { server, rings }
}

function addressesOf({ all: [first, ...others] }: ServicePlan['resources']): AuthorizationParts['resources'] {
  return [first.address, ...others.map(({ address }) => address)]
}

/** Returns what the audit log says of the request that changes a grant. */
function originOf(plan: ServicePlan, request: HttpRequest | undefined) {
  const { address = null, requestId = null } = request ? requestEventFields(request, plan) : {}
  return { address, requestId, userAgent: request?.headers.get('user-agent') ?? null }
}

export interface ClientConsentsParts extends Pick<ServiceAuthorization, 'server'> {
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly denyList: DenyList
}

/** Returns what accounts have allowed the clients of an authorization server. */
export function openClientConsents(
  { emit }: ServicePlan,
  { server, accounts, sessions, denyList }: ClientConsentsParts,
): ClientConsents {
  return createClientConsents({
    server,
    accounts,
    sessions: denyEndedSessions(sessions, denyList),
    onFailure: (cause) => emit({ type: 'service.failed', during: 'oauth', failure: describeFailure(cause), cause }),
  })
}

type AccountParts = Pick<
  AuthorizationParts,
  'claims' | 'accountState' | 'sessionState' | 'readFamily' | 'signedIn' | 'signOut'
>

/** Returns the functions by which an authorization server reads accounts. */
function accountPartsOf(plan: ServicePlan, { accounts, sessions }: ServiceAuthorizationParts): AccountParts {
  const { cookies, options } = plan
  const findActive = async (subject: string) => {
    const account = await options.stores.accounts.get(subject)
    return account?.status === 'active' ? account : null
  }
  return {
    async claims(subject) {
      const account = await findActive(subject)
      // An account exists once its address was confirmed, or an administrator has vouched for it.
      return account && { name: account.name, email: account.email, email_verified: true }
    },
    async accountState(subject) {
      const account = await findActive(subject)
      return account && { epoch: account.epoch }
    },
    sessionState: (subject, lineage, use) => sessions.readByLineage(subject, lineage, use),
    ...plan.familyReads,
    signedIn: (request) => readSignedIn(plan, accounts(), request),
    async signOut(request, { subject, key }) {
      const attempt = readAttempt(request, plan, 'page')
      await accounts().forRequest(request).signOut({ identity: { subject, key }, attempt })
      return [['Set-Cookie', cookies.session.clear()]] satisfies HttpResponse['headers']
    },
  }
}

/**
 * Returns the session of a request; `null` if its account must set up a second factor first, or an administrator acts
 * as the account. Such a session must not allow clients.
 */
async function readSignedIn(
  { cookies }: ServicePlan,
  accounts: Accounts,
  request: HttpRequest,
): ReturnType<AuthorizationParts['signedIn']> {
  const found = await accounts.identifyCredential(cookies.session.read(request), request)
  if (!found || found.facts.mustEnroll || found.facts.impersonator !== null) return null
  const { subject, key, epoch, factors } = found.facts
  return { subject, key, lineage: found.session.lineage, epoch, factors }
}

function createLimit(
  { options, now }: ServicePlan,
  secrets: SecretKeys,
  named: { readonly name: string; readonly limit: number },
): RateLimit {
  const { counters = createMemoryCounterStore({ now }) } = options.stores
  return createRateLimit({
    ...named,
    counters,
    secrets: deriveSecrets(secrets, 'oauth-limits'),
    windowSeconds: 60,
    now,
  })
}

function limitKeyOf({ addresses }: ServicePlan, request: HttpRequest): string {
  const address = addresses.read(request)
  return address === null ? 'unknown' : addresses.limitKey(address)
}
