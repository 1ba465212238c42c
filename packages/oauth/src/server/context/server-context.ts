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

/** The checked options and the services made from them. */
export interface ServerContext extends FromOptions {
  /** An origin. The address of an endpoint is `issuer` followed by its path. */
  readonly issuer: string
  readonly isHttps: boolean
  readonly records: RecordStore
  readonly clients: ClientLookup
  /** The unregistered clients; `null`: the option `metadataClients` is omitted. */
  readonly metadataClients: MetadataClients | null
  /** The origins whose pages may read responses to requests without cookies. */
  readonly clientOrigins: ClientOrigins
  readonly grants: Grants
  readonly codes: AuthorizationCodes
  readonly deviceCodes: DeviceCodes
  readonly endedSessions: EndedSessions
  /** The clients to notify of a revoked session. */
  readonly sessionClients: SessionClients
  readonly logoutCalls: LogoutCalls
  /** Work that no response waits for. */
  readonly background: Background
  /** Sign access tokens. */
  readonly keys: KeyRing
  readonly accessTokenSigners: AccessTokenSigners
  readonly idTokenKeys: IdTokenKeys
  /** Verifies access tokens of this server for any resource. It does not check client, family and consent. */
  readonly accessTokens: JwtVerifier
  /** The revoked access tokens. */
  readonly denyList: DenyList
  /** The used assertions of clients. */
  readonly assertions: SingleUse
  /** The used DPoP proofs. */
  readonly proofs: SingleUse
  readonly nonces: ProofNonces
  /** All scopes that clients can request. */
  readonly scopes: ReadonlySet<string>
  /** `null`: a request must name its scopes. */
  readonly defaultScope: string | null
  readonly pages: Required<ServerPages>
  readonly consent: NonNullable<AuthorizationServerOptions['consent']>
  readonly sessionSameSite: 'Lax' | 'Strict'
  readonly accessTokenSeconds: number
  readonly requestSeconds: number
  /** Returns the address by which attempts are counted. */
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

/** Adds the lookup of unregistered clients, which are found after the first consent of an account. */
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

/** The given options among those without a default. */
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

/** Accepts all asymmetric algorithms: each key of the server has one algorithm. */
function createAccessTokens(options: AccessTokensOptions): JwtVerifier {
  return createJwtVerifier({
    ...options,
    audience: acceptAnyAudience,
    algorithms: ['ES256', 'EdDSA', 'RS256', 'PS256'],
    typ: accessTokenType,
  })
}
