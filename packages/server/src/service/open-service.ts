import type { Accounts } from '@latchkey/accounts'
import type { ForgeryCheck, IdentityReader } from '@latchkey/http'
import type { Jwks } from '@latchkey/jwt'
import type { AnyPolicy, Identity, OpenRoles } from '@latchkey/rbac'
import type { Sessions } from '@latchkey/sessions'
import { type IdentityCache, openIdentityCache } from '../identity-cache/identity-cache.ts'
import type { ServiceAuthorizationServer } from '../options/oauth/authorization-server.ts'
import type { SecondFactors } from '../options/server/second-factors.ts'
import type { MakeIdentity } from './account-session/credential-verifiers.ts'
import { openAccountsAndClients } from './accounts-and-clients.ts'
import { type ApplicationVerdict, checkApplication } from './application-check.ts'
import type { ClientConsents } from './clients/client-consents.ts'
import { type ClientTokens, createClientTokenEnding } from './clients/client-tokens.ts'
import type { ServicePlan } from './plan/service-plan.ts'
import { createRequestChecks } from './request-checks.ts'
import { createServiceEndpoint, type ServiceEndpoint } from './service-endpoint.ts'
import { openFoundations } from './service-foundations.ts'
import { createServiceKeys, createTokenEnding, type ServiceKeys } from './service-keys.ts'
import { publicKeysOf } from './signing-keys.ts'
import { createServiceTools, type ServiceTools } from './tools/service-tools.ts'
import { startUpkeep } from './upkeep/service-upkeep.ts'

/** The parts of an open service, as the stages of a request use them. */
export interface Service extends ServiceKeys, Omit<ServiceEndpoint, 'toolSteps'> {
  readonly forgery: ForgeryCheck
  readonly identify: IdentityReader<Identity>
  /** Also notes until when the credential is valid. */
  readonly identifyStream: IdentityReader<Identity>
  /** Reads an identity without keeping its session alive: again, for a request that is still arriving, and for links of mails. */
  readonly reidentify: IdentityReader<Identity>
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly makeIdentity: MakeIdentity
  readonly secondFactors: SecondFactors
  readonly roles: OpenRoles<AnyPolicy> | null
  /** The authorization server of the option `oauth`, or `null`. */
  readonly authorization: ServiceAuthorizationServer | null
  /** The grants of accounts to its clients, or `null`. */
  readonly consents: ClientConsents | null
  /** Reads its access tokens, or `null`. */
  readonly clientTokens: ClientTokens | null
  /** The tools of the option `mcp`, or `null`. */
  readonly tools: ServiceTools | null
  /** Rejects while the stores cannot be used. */
  check(): Promise<Readiness>
  /** Returns the public keys of access tokens. */
  jwks(): Promise<Jwks>
  /** Resolves when pending work has finished. */
  settle(): Promise<void>
}

export interface Readiness {
  /** How far this process is ahead of the clock of the stores, or `null`. */
  readonly skewMs: number | null
  readonly application: ApplicationVerdict
}

/** Reads the secrets, opens the key ring and puts the parts together: the one place that knows all of them. */
export async function openService(given: ServicePlan): Promise<Service> {
  const cache = openIdentityCache(given.options.identityCache, given.options.stores)
  return openOn({ ...given, options: { ...given.options, stores: cache.stores } }, cache).catch((error: unknown) => {
    cache.stop()
    throw error
  })
}

/** A refresh token is a matter of the authorization server, not of the endpoint. */
function resourceScopesOf({ scopes }: ServiceAuthorizationServer): readonly string[] {
  return scopes.filter((scope) => scope !== 'offline_access')
}

async function openOn(plan: ServicePlan, cache: IdentityCache): Promise<Service> {
  const { options } = plan
  const foundations = await openFoundations(plan)
  const { keys, roles, passwords, written, sessions, denyList, secondFactors, audit } = foundations
  const { recorder } = audit
  const known = await openAccountsAndClients(plan, foundations)
  const { accounts, authorization, consents } = known
  const checks = createRequestChecks(plan, foundations, known)
  const { identify, ofStreams, ofTools, clientTokens, accessTokens, makeIdentity, forgery } = checks
  const rings = [keys, ...(authorization?.rings ?? [])] as const
  const endClientToken = createClientTokenEnding(clientTokens, createTokenEnding({ denyList, recorder }))
  const publishedScopes = authorization ? resourceScopesOf(authorization.server) : (options.apiKeys?.scopes ?? null)
  const { graphql, streams, toolSteps } = createServiceEndpoint(plan, {
    ...checks,
    ...{ accounts, sessions, roles, consents, endClientToken },
    publishedScopes,
    audit: audit.log,
  })
  const tools =
    ofTools &&
    createServiceTools(plan, {
      ...ofTools,
      ...{ recorder, secrets: foundations.secrets, steps: toolSteps, publishedScopes: publishedScopes ?? [] },
    })
  if (options.transport) plan.emit({ type: 'transport.weakened', setting: 'http.transport' })
  const upkeep = startUpkeep({
    records: options.stores.records,
    emit: plan.emit,
    written,
    startPruning: audit.startPruning,
  })
  return {
    ...{ identify, identifyStream: ofStreams.identify, reidentify: ofStreams.reidentify },
    ...{ forgery, makeIdentity, graphql, streams },
    ...{ accounts, sessions, secondFactors, roles, clientTokens, tools, consents },
    authorization: authorization?.server ?? null,
    async check() {
      const asked = checkApplication(options.check)
      await options.stores.check?.()
      await roles?.refresh()
      return { skewMs: upkeep.skewMs(), application: await asked }
    },
    jwks: () => publicKeysOf(rings),
    ...createServiceKeys({ rings, accessTokens, denyList, recorder, now: plan.now }),
    async settle() {
      streams.close()
      cache.stop()
      await upkeep.stop()
      await accounts.settled()
      await sessions.settled()
      await authorization?.server.settled()
      await audit.close()
      if (!options.passwords) await passwords.close()
    },
  }
}
