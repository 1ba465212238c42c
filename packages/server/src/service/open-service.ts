import type { Accounts, AccountsDirectory } from '@latchkey/accounts'
import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { createGraphqlHandler, type GraphqlHandler } from '@latchkey/graphql'
import { createForgeryCheck, type ForgeryCheck, type IdentityReader } from '@latchkey/http'
import { type Jwks, openKeyRing, type StoredKeyRing } from '@latchkey/jwt'
import { createPasswordHasher } from '@latchkey/password'
import type { AnyPolicy, Identity, OpenRoles } from '@latchkey/rbac'
import type { Sessions } from '@latchkey/sessions'
import { exportedData } from '../account-life/exported-data.ts'
import type { MakeIdentity } from '../account-session/credential-verifiers.ts'
import type { ServiceAuthorizationServer } from '../clients/authorization-server.ts'
import type { ClientConsents } from '../clients/client-consents.ts'
import { type ClientTokens, createClientTokenEnding } from '../clients/client-tokens.ts'
import { type IdentityCache, openIdentityCache } from '../identity-cache/identity-cache.ts'
import { openChangingRoles } from '../options/changing-roles.ts'
import { createSecondFactors, type SecondFactors } from '../options/second-factors.ts'
import { type ApplicationVerdict, checkApplication } from './application-check.ts'
import { endpointOf } from './endpoint-of.ts'
import { createIdentityReaders } from './identity-readers.ts'
import { startRecordSweep } from './record-sweep.ts'
import {
  createAccessTokenVerifier,
  createServiceAccounts,
  createServiceDenyList,
  createServiceSessions,
} from './service-accounts.ts'
import { openServiceAudit } from './service-audit.ts'
import { openAuthorization, openClientConsents } from './service-authorization.ts'
import { recheckClock, watchClock } from './service-clock.ts'
import { sharedEndpointOptions } from './service-endpoint.ts'
import { createServiceKeys, createTokenEnding, type ServiceKeys } from './service-keys.ts'
import type { ServicePlan } from './service-plan.ts'
import { createServiceStreams, type ServiceStreams, streamOptionsOf } from './service-streams.ts'
import { watchWrittenVersion } from './written-version.ts'

/** The parts of an open service, as the stages of a request use them. */
export interface Service extends ServiceKeys {
  readonly forgery: ForgeryCheck
  readonly identify: IdentityReader<Identity>
  /** Reads an identity without keeping its session alive: again, for a request that is still arriving, and for links of mails. */
  readonly recheck: IdentityReader<Identity>
  readonly graphql: GraphqlHandler
  readonly streams: ServiceStreams
  readonly accounts: Accounts & AccountsDirectory
  readonly sessions: Sessions
  readonly makeIdentity: MakeIdentity
  readonly secondFactors: SecondFactors
  readonly roles: OpenRoles<AnyPolicy> | null
  /** The authorization server of the option `oauth`, or `null`. */
  readonly authorization: ServiceAuthorizationServer | null
  /** What accounts have allowed its clients, or `null`. */
  readonly consents: ClientConsents | null
  /** Reads its access tokens, or `null`. */
  readonly clientTokens: ClientTokens | null
  /** Rejects while the stores cannot be used. */
  check(): Promise<Readiness>
  /** Returns the public keys of access tokens. */
  jwks(): Promise<Jwks>
  /** Resolves when what is under way has finished. */
  settle(): Promise<void>
}

export interface Readiness {
  /** How far this process is ahead of the clock of the stores, or `null`. */
  readonly skewMs: number | null
  readonly application: ApplicationVerdict
}

/** An expired record is refused at once, whether or not it was removed; this only bounds the space. */
const sweepIntervalMs = 60_000

/** Reads the secrets, opens the key ring and puts the parts together: the one place that knows all of them. */
export async function openService(given: ServicePlan): Promise<Service> {
  const cache = openIdentityCache(given.options.identityCache, given.options.stores)
  return openOn({ ...given, options: { ...given.options, stores: cache.stores } }, cache).catch((error: unknown) => {
    cache.stop()
    throw error
  })
}

async function openOn(plan: ServicePlan, cache: IdentityCache): Promise<Service> {
  const { options, base } = plan
  const { stores } = options
  await stores.check?.()
  recheckClock(options)
  const secrets = await options.secrets.load()
  const keys = await openSigningKeys(plan, secrets)
  const roles = await openChangingRoles(plan)
  const passwords =
    options.passwords ??
    createPasswordHasher({
      now: plan.now,
      ...(plan.measuring && { onMeasurement: plan.measuring.report }),
    })
  const written = await watchWrittenVersion(stores.versions)
  const storedVersion = written.current
  const sessions = createServiceSessions(plan, storedVersion)
  const denyList = createServiceDenyList(plan)
  const secondFactors = createSecondFactors(options, { base, secrets, now: plan.now, storedVersion })
  const audit = openServiceAudit(plan, secrets)
  const authorization = await openAuthorization(plan, {
    ...{ secrets, denyList, storedVersion, trail: audit.trail },
    accounts: () => accounts,
  })
  const accounts: Accounts & AccountsDirectory = createServiceAccounts(plan, {
    secrets,
    auditing: audit.auditing,
    keys,
    passwords,
    sessions,
    denyList,
    secondFactors,
    storedVersion,
    exported: exportedData({ audit: audit.log, consents: authorization && (() => consents) }),
    givenOut: authorization?.server ?? null,
    roles,
  })
  const makeIdentity: MakeIdentity = async (facts) => (roles ?? plan.policy).identify(facts)
  const rings = [keys, ...(authorization ? [authorization.keys] : [])] as const
  const accessTokens = createAccessTokenVerifier(plan, keys)
  const parts = { accounts, accessTokens, makeIdentity }
  const { identify, ofStreams, clientTokens } = createIdentityReaders(plan, { ...parts, authorization })
  const forgery = createForgeryCheck({ origins: base.origins, secrets: deriveSecrets(secrets, 'forgery') })
  const consents: ClientConsents | null =
    authorization && openClientConsents(plan, { ...authorization, accounts, sessions, denyList })
  const endClientToken = createClientTokenEnding(clientTokens, createTokenEnding({ denyList, trail: audit.trail }))
  const established = { accounts, sessions, identify, forgery, roles, makeIdentity }
  const endpoint = { ...established, audit: audit.log, consents, endClientToken }
  const shared = sharedEndpointOptions(plan, endpoint)
  const graphql = createGraphqlHandler({
    ...shared,
    ...endpointOf(options),
    ...(plan.measuring && { onMeasurement: plan.measuring.noteOperation }),
    ...(options.telemetry && { traceExecution: options.telemetry.traceExecution }),
  })
  const streams = createServiceStreams({ ...shared, ...streamOptionsOf(options), ...ofStreams })
  if (options.transport) plan.emit({ type: 'transport.weakened', setting: 'transport' })
  const clock = watchClock(options, plan.emit)
  const sweep = startRecordSweep({ records: stores.records, intervalMs: sweepIntervalMs })
  audit.startPruning()
  return {
    forgery,
    identify,
    recheck: ofStreams.recheck,
    graphql,
    streams,
    accounts,
    sessions,
    makeIdentity,
    secondFactors,
    roles,
    authorization: authorization?.server ?? null,
    clientTokens,
    consents,
    async check() {
      const asked = checkApplication(options.check)
      await stores.check?.()
      await roles?.refresh()
      return { skewMs: clock.skewMs(), application: await asked }
    },
    jwks: async () => ({ keys: (await Promise.all(rings.map((ring) => ring.jwks()))).flatMap((set) => [...set.keys]) }),
    ...createServiceKeys({ rings, accessTokens, denyList, trail: audit.trail, now: plan.now }),
    async settle() {
      streams.close()
      cache.stop()
      clock.stop()
      written.stop()
      await sweep.stop()
      await accounts.settled()
      await sessions.settled()
      await authorization?.server.settled()
      await audit.close()
      if (!options.passwords) await passwords.close()
    },
  }
}

function openSigningKeys({ options, accessTokens, now }: ServicePlan, secrets: SecretKeys): Promise<StoredKeyRing> {
  const { algorithm, publishAheadSeconds, refreshSeconds } = accessTokens
  const sealing = { keys: options.stores.keys, secrets: deriveSecrets(secrets, 'access-token-keys') }
  return openKeyRing({ ...sealing, algorithm, publishAheadSeconds, refreshSeconds, now })
}
