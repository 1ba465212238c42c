import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { createEmitter, type Emit } from '@latchkey/core/internal'
import type { HttpRequest } from '@latchkey/http'
import {
  acceptAnyAudience,
  createDenyList,
  createJwtVerifier,
  type DenyList,
  type JwtVerifier,
  type KeyRing,
} from '@latchkey/jwt'
import type { RateLimit } from '@latchkey/rate-limit'
import type { RecordStore } from '@latchkey/store'
import { checkStores, storedVersion as newestVersion } from '@latchkey/store/internal'
import { createProofNonces, type ProofNonces } from '../../proofs/proof-nonces.ts'
import { createSingleUse, type SingleUse } from '../../proofs/single-use.ts'
import { accessTokenType } from '../../resource/access-token.ts'
import { hostOfClientId } from '../clients/client-host.ts'
import { type ClientLookup, createClientLookup } from '../clients/client-lookup.ts'
import { type ClientOrigins, createClientOrigins } from '../clients/client-origins.ts'
import { readFixedClients } from '../clients/fixed-clients.ts'
import { openStoredClients } from '../clients/stored-client.ts'
import { type AuthorizationCodes, createAuthorizationCodes } from '../grants/authorization-codes.ts'
import { createDeviceCodes, type DeviceCodes } from '../grants/device-codes.ts'
import { createEndedSessions, type EndedSessions } from '../grants/ended-sessions.ts'
import { createGrants, type Grants } from '../grants/grants.ts'
import { createSessionClients, type SessionClients } from '../grants/session-clients.ts'
import { createResponses, type Responses } from '../responses/responses.ts'
import { createMetadataClients, type MetadataClients } from '../unregistered/metadata-clients.ts'
import { createRegisteredNames } from '../unregistered/registered-names.ts'
import { type AccessTokenSigners, createAccessTokenSigners } from './access-token-signers.ts'
import { type Background, createBackground } from './background.ts'
import { checkOptions, ownScopes } from './check-options.ts'
import { createIdTokenKeys, type IdTokenKeys } from './id-token-keys.ts'
import { createLogoutCalls, type LogoutCalls } from './logout-calls.ts'
import type { OAuthEvent } from './oauth-event.ts'
import { createPendingLimit } from './pending-limit.ts'
import type { AuthorizationServerOptions, ServerPages } from './server-options.ts'

type FromOptions = Pick<
  AuthorizationServerOptions,
  | 'refreshTokens'
  | 'claims'
  | 'signedIn'
  | 'accountState'
  | 'readFamily'
  | 'sessionState'
  | 'errorPage'
  | 'logoutPage'
  | 'signOut'
  | 'clientLimit'
  | 'userCodeLimit'
  | 'transport'
  | 'resources'
>

/** What every endpoint works with: the options, checked, and what is made of them. */
export interface ServerContext extends FromOptions {
  /** An origin. An endpoint's address is `issuer` and its path. */
  readonly issuer: string
  readonly isHttps: boolean
  readonly records: RecordStore
  readonly clients: ClientLookup
  /** The clients that nobody registered; `null`: there are none. */
  readonly metadataClients: MetadataClients | null
  /** The origins whose pages may read answers to requests without cookies. */
  readonly clientOrigins: ClientOrigins
  readonly grants: Grants
  readonly codes: AuthorizationCodes
  readonly deviceCodes: DeviceCodes
  readonly endedSessions: EndedSessions
  /** Who is told that a session has ended, and how. */
  readonly sessionClients: SessionClients
  readonly logoutCalls: LogoutCalls
  /** What no response waits for. */
  readonly background: Background
  /** Sign access tokens. */
  readonly keys: KeyRing
  readonly accessTokenSigners: AccessTokenSigners
  readonly idTokenKeys: IdTokenKeys
  /** Verifies access tokens of this server for any of its resources. Whether they are alive is asked besides. */
  readonly accessTokens: JwtVerifier
  /** Ends access tokens, each by itself. */
  readonly denyList: DenyList
  /** Where assertions and proofs of clients are used up. */
  readonly assertions: SingleUse
  readonly proofs: SingleUse
  readonly nonces: ProofNonces
  /** Every scope that can be asked for. */
  readonly scopes: ReadonlySet<string>
  /** `null`: a request must name its scopes. */
  readonly defaultScope: string | null
  readonly pages: Required<ServerPages>
  readonly consent: NonNullable<AuthorizationServerOptions['consent']>
  readonly sessionSameSite: 'Lax' | 'Strict'
  readonly accessTokenSeconds: number
  readonly requestSeconds: number
  /** What attempts are counted by. */
  readonly addressOf: (request: HttpRequest) => string
  readonly pendingLimit: RateLimit
  readonly responses: Responses
  /** Derives secrets for a purpose of this package. */
  secretsFor(purpose: string): SecretKeys
  readonly now: () => number
  /** The version of stored values to write. */
  readonly storedVersion: () => number
  readonly emit: Emit<OAuthEvent>
}

const codeSeconds = 60

const makeAlone: NonNullable<AuthorizationServerOptions['aroundGrantChange']> = (_change, make) => make()

/** @throws TypeError naming the option that is unknown, missing or not valid. */
export function createServerContext(options: AuthorizationServerOptions): ServerContext {
  checkOptions(options)
  const { issuer, records, secrets, keys, idTokenKeys = keys, onEvent, documents, accessTokenSeconds = 900 } = options
  checkStores({ records, documents })
  const { now = () => records.now(), storedVersion = () => newestVersion } = options
  const isHttps = issuer.startsWith('https:')
  const fixed = readFixedClients(options.fixedClients ?? [], { isHttps })
  const writing = { now, storedVersion }
  const clients = openStoredClients(documents, storedVersion)
  const denyList = createDenyList({ documents, ...writing })
  const emit = createEmitter<OAuthEvent>({ onEvent, now })
  const metadataClients = openMetadataClients(options, { clients, fixed, ...writing, report: emit })
  return {
    issuer,
    isHttps,
    records,
    clients: withUnregistered(createClientLookup(clients, fixed), metadataClients),
    metadataClients,
    clientOrigins: createClientOrigins({ clients, fixed, origins: options.corsOrigins ?? [], now }),
    grants: createGrants({ documents, ...writing, aroundChange: options.aroundGrantChange ?? makeAlone }),
    codes: createAuthorizationCodes({ records, ...writing, ttlSeconds: codeSeconds }),
    deviceCodes: createDeviceCodes({ records, ...writing, secrets: deriveSecrets(secrets, 'oauth/user-code') }),
    endedSessions: createEndedSessions(records, now),
    sessionClients: createSessionClients({ records, ...writing, keptMs: (options.sessionSeconds ?? 2_592_000) * 1000 }),
    logoutCalls: createLogoutCalls({
      fetch: options.fetch ?? fetch,
      timeoutMs: options.logoutTimeoutMs ?? 5000,
      isHttps,
    }),
    background: createBackground(),
    keys,
    accessTokenSigners: createAccessTokenSigners({ issuer, keys, ttlSeconds: accessTokenSeconds, now }),
    idTokenKeys: createIdTokenKeys(ringsOf(idTokenKeys)),
    accessTokens: createAccessTokens({ issuer, keys, denyList, now }),
    denyList,
    assertions: createSingleUse(records, 'ja'),
    proofs: createSingleUse(records, 'dp'),
    nonces: createProofNonces({ secrets: deriveSecrets(secrets, 'oauth/proof-nonce'), now }),
    refreshTokens: options.refreshTokens,
    resources: options.resources,
    scopes: knownScopes(options),
    defaultScope: options.defaultScopes?.join(' ') ?? null,
    claims: options.claims,
    signedIn: options.signedIn,
    accountState: options.accountState,
    consent: options.consent ?? (() => 'ask'),
    pages: { device: '/device', ...options.pages },
    ...givenParts(options),
    sessionSameSite: options.sessionSameSite ?? 'Lax',
    accessTokenSeconds,
    requestSeconds: options.requestSeconds ?? 1800,
    addressOf: options.addressOf ?? (({ peerAddress }) => peerAddress ?? 'unknown'),
    pendingLimit: options.pendingLimit ?? createPendingLimit(secrets, now),
    responses: createResponses({ https: isHttps }),
    secretsFor: (purpose) => deriveSecrets(secrets, `oauth/${purpose}`),
    ...writing,
    emit,
  }
}

type Unregistered = Pick<Parameters<typeof createMetadataClients>[0], 'now' | 'storedVersion' | 'report'> &
  Pick<Parameters<typeof createRegisteredNames>[0], 'clients' | 'fixed'>

function openMetadataClients(
  { metadataClients: option, serviceName, issuer, documents }: AuthorizationServerOptions,
  { clients, fixed, ...parts }: Unregistered,
): MetadataClients | null {
  if (!option) return null
  const isRegisteredName = createRegisteredNames({ clients, fixed, serviceName: serviceName ?? null, now: parts.now })
  return createMetadataClients({ option, issuer, documents, isRegisteredName, ...parts })
}

/** A client that nobody registered is found once an account has allowed it something. */
function withUnregistered(registered: ClientLookup, metadataClients: MetadataClients | null): ClientLookup {
  return {
    find: async (id) => (metadataClients?.isMeant(id) ? metadataClients.find(id) : registered.find(id)),
    async nameOf(id) {
      const host = hostOfClientId(id)
      return host === null ? registered.nameOf(id) : ((await metadataClients?.find(id))?.name ?? host)
    },
  }
}

function knownScopes({ scopes = [], sessionState }: AuthorizationServerOptions): ReadonlySet<string> {
  const known = new Set([...ownScopes, ...scopes])
  if (!sessionState) known.delete('online_access')
  return known
}

function ringsOf(given: KeyRing | readonly [KeyRing, ...KeyRing[]]): readonly [KeyRing, ...KeyRing[]] {
  return 'signingKey' in given ? [given] : given
}

/** What an application may leave out, as far as it is given. */
function givenParts(options: AuthorizationServerOptions): Partial<FromOptions> {
  return {
    ...(options.readFamily && { readFamily: options.readFamily }),
    ...(options.sessionState && { sessionState: options.sessionState }),
    ...(options.errorPage && { errorPage: options.errorPage }),
    ...(options.logoutPage && { logoutPage: options.logoutPage }),
    ...(options.signOut && { signOut: options.signOut }),
    ...(options.clientLimit && { clientLimit: options.clientLimit }),
    ...(options.userCodeLimit && { userCodeLimit: options.userCodeLimit }),
    ...(options.transport && { transport: options.transport }),
  }
}

type AccessTokensOptions = Pick<ServerContext, 'issuer' | 'keys' | 'denyList' | 'now'>

/** The keys are our own: each of them has one algorithm, and none that could be published is symmetric. */
function createAccessTokens(options: AccessTokensOptions): JwtVerifier {
  return createJwtVerifier({
    ...options,
    audience: acceptAnyAudience,
    algorithms: ['ES256', 'EdDSA', 'RS256', 'PS256'],
    typ: accessTokenType,
  })
}
