import type { Accounts, AccountsDirectory } from '@latchkey/accounts'
import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { createGraphqlHandler, type GraphqlHandler } from '@latchkey/graphql'
import { createForgeryCheck, createIdentityReader, type ForgeryCheck, type IdentityReader } from '@latchkey/http'
import { type KeyRing, openKeyRing } from '@latchkey/jwt'
import { createPasswordHasher } from '@latchkey/password'
import type { AnyPolicy, Identity, OpenRoles } from '@latchkey/rbac'
import type { Sessions } from '@latchkey/sessions'
import { createCredentialVerifiers, type MakeIdentity } from '../accounts-schema/credential-verifiers.ts'
import { openChangingRoles } from './changing-roles.ts'
import { endpointOf } from './endpoint-of.ts'
import { startRecordSweep } from './record-sweep.ts'
import { createAccessTokenVerifier, createServiceAccounts, createServiceSessions } from './service-accounts.ts'
import { recheckClock, watchClock } from './service-clock.ts'
import { sharedEndpointOptions } from './service-endpoint.ts'
import type { ServicePlan } from './service-plan.ts'
import { createServiceStreams, type ServiceStreams, streamOptionsOf } from './service-streams.ts'
import { watchWrittenVersion } from './written-version.ts'

/** The parts of an open service, as the stages of a request use them. */
export interface Service {
  readonly forgery: ForgeryCheck
  readonly identify: IdentityReader<Identity>
  readonly graphql: GraphqlHandler
  readonly streams: ServiceStreams
  readonly accounts: Accounts & AccountsDirectory
  readonly sessions: Sessions
  readonly roles: OpenRoles<AnyPolicy> | null
  /** Rejects while the stores cannot be used. Returns how far this process is ahead of their clock, or `null`. */
  check(): Promise<{ readonly skewMs: number | null }>
  /** Lets a new key sign access tokens. */
  rotateKeys(): Promise<{ readonly keyId: string }>
  /** Resolves when what is under way has finished. */
  settle(): Promise<void>
}

/** An expired record is refused at once, whether or not it was removed; this only bounds the space. */
const sweepIntervalMs = 60_000

/** Reads the secrets, opens the key ring and puts the parts together: the one place that knows all of them. */
export async function openService(plan: ServicePlan): Promise<Service> {
  const { options, base } = plan
  const { stores } = options
  await stores.check?.()
  recheckClock(options)
  const secrets = await options.secrets.load()
  const keys = await openSigningKeys(plan, secrets)
  const roles = await openChangingRoles(plan)
  const passwords = options.passwords ?? createPasswordHasher({ now: plan.now })
  const written = await watchWrittenVersion(stores.versions)
  const sessions = createServiceSessions(plan, written.current)
  const accounts = createServiceAccounts(plan, { secrets, keys, passwords, sessions, storedVersion: written.current })
  const makeIdentity: MakeIdentity = async (facts) => (roles ?? plan.policy).identify(facts)
  const { identify, recheck, expiresAt } = createIdentityReaders(plan, { accounts, sessions, keys, makeIdentity })
  const forgery = createForgeryCheck({ origins: base.origins, secrets: deriveSecrets(secrets, 'forgery') })
  const shared = sharedEndpointOptions(plan, { accounts, sessions, identify, forgery, roles, makeIdentity })
  const graphql = createGraphqlHandler({ ...shared, ...endpointOf(options) })
  const streams = createServiceStreams({ ...shared, ...streamOptionsOf(options), recheck, expiresAt })
  if (options.transport) plan.announce({ type: 'plain-cookies', at: plan.now(), setting: 'transport' })
  const clock = watchClock(options, plan.announce)
  const sweep = startRecordSweep({ records: stores.records, intervalMs: sweepIntervalMs })
  return {
    forgery,
    identify,
    graphql,
    streams,
    accounts,
    sessions,
    roles,
    async check() {
      await stores.check?.()
      await roles?.refresh()
      return { skewMs: clock.skewMs() }
    },
    rotateKeys: () => rotateKeys(plan, keys),
    async settle() {
      streams.close()
      clock.stop()
      written.stop()
      await sweep.stop()
      await accounts.settled()
      await sessions.settled()
      if (!options.passwords) await passwords.close()
    },
  }
}

function openSigningKeys({ options, now }: ServicePlan, secrets: SecretKeys): Promise<KeyRing> {
  const { keys } = options.stores
  return openKeyRing({ keys, secrets: deriveSecrets(secrets, 'access-token-keys'), algorithm: 'HS256', now })
}

async function rotateKeys({ announce, now }: ServicePlan, keys: KeyRing): Promise<{ readonly keyId: string }> {
  const { id: keyId } = await keys.rotate()
  announce({ type: 'keys-rotated', at: now(), keyId })
  return { keyId }
}

interface IdentityParts extends Pick<Service, 'accounts' | 'sessions'> {
  readonly keys: KeyRing
  readonly makeIdentity: MakeIdentity
}

interface IdentityReaders {
  readonly identify: IdentityReader<Identity>
  /** For open subscriptions: it does not keep a session alive. */
  readonly recheck: IdentityReader<Identity>
  readonly expiresAt: (identity: Identity) => number | null
}

function createIdentityReaders(plan: ServicePlan, { keys, ...parts }: IdentityParts): IdentityReaders {
  const accessTokens = createAccessTokenVerifier(plan, keys)
  const { session, sessionUnused, token, expiresAt } = createCredentialVerifiers({ ...parts, accessTokens })
  const readWith = (verify: typeof session): IdentityReader<Identity> =>
    createIdentityReader<Identity>({ cookie: { cookie: plan.cookies.session, verify }, bearer: { verify: token } })
  return { identify: readWith(session), recheck: readWith(sessionUnused), expiresAt }
}
