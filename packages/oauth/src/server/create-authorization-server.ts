import { createHttpHandler, type HttpHandler, type HttpRequest } from '@latchkey/http'
import type { VerifiedClaims } from '@latchkey/jwt'
import { answerRequest } from './answer-request.ts'
import { createAuthorizationParts } from './authorization/authorization-parts.ts'
import { createAuthorizeEndpoint } from './authorization/authorize-endpoint.ts'
import {
  type ConsentDecision,
  type ConsentVerdict,
  decide,
  type PresentedRequest,
  readRequest,
} from './authorization/consent.ts'
import { createPushEndpoint } from './authorization/push-endpoint.ts'
import type { Endpoint } from './context/endpoint.ts'
import { createServerContext, type ServerContext } from './context/server-context.ts'
import type { AuthorizationServerOptions } from './context/server-options.ts'
import { deviceAuthorizationEndpoint } from './device/device-authorization-endpoint.ts'
import {
  type DeviceDecision,
  type DeviceRefusal,
  type DeviceVerdict,
  decideDevice,
  readDevice,
} from './device/device-decision.ts'
import type { Grant } from './grants/grants.ts'
import { livesOn } from './issuing/access-tokens.ts'
import { createDiscoveryEndpoints } from './metadata/discovery-endpoints.ts'
import { pathOf } from './parameters/read-request.ts'
import { endSession } from './sessions/end-session.ts'
import { createEndSessionEndpoint } from './sessions/end-session-endpoint.ts'
import { notifyClients } from './sessions/notify-clients.ts'
import { introspectionEndpoint } from './tokens/introspection-endpoint.ts'
import { type PresentedOptions, type PresentedVerdict, readPresentedToken } from './tokens/presented-access-token.ts'
import { revocationEndpoint } from './tokens/revocation-endpoint.ts'
import { tokenEndpoint } from './tokens/token-endpoint.ts'
import { userinfoEndpoint } from './tokens/userinfo-endpoint.ts'

/** An authorization server as one handler: mount it at its paths. */
export interface AuthorizationServer extends HttpHandler {
  /** Every path that it answers. */
  readonly paths: readonly string[]
  /** Every scope that clients may ask for. */
  readonly scopes: readonly string[]
  /** The ids of the clients that are written in code. */
  readonly fixedClientIds: readonly string[]
  /**
   * Returns a request that waits for its user, for the pages of sign-in and consent, or `null`: it was answered, has expired,
   * or waits in another browser.
   *
   * @param browser the request for the page. @param handle the parameter of that name, which the page was opened with.
   */
  readRequest(browser: HttpRequest, handle: string | null): Promise<PresentedRequest | null>
  /**
   * Answers a request that waits by what its user has decided on the consent page: for exactly one caller.
   *
   * @param browser the request that posts the form.
   */
  decide(browser: HttpRequest, decision: ConsentDecision): Promise<ConsentVerdict>
  /**
   * Returns the device whose code a user has entered, in any case, with or without the dash. Who tries codes is throttled by
   * `userCodeLimit`.
   *
   * @param browser the request that posts the code.
   */
  readDevice(browser: HttpRequest, userCode: string): Promise<DeviceVerdict>
  /** Answers a device by what its user has decided: for exactly one caller. */
  decideDevice(browser: HttpRequest, decision: DeviceDecision): Promise<{ readonly ok: true } | DeviceRefusal>
  /** Returns what an account has allowed clients, with what these are called. */
  listGrants(accountId: string): Promise<readonly ListedGrant[]>
  /**
   * Withdraws what an account has allowed a client, and all that was given by it; `true` for exactly one caller.
   *
   * @param request by which it is withdrawn. Omitted: by none.
   */
  revokeGrant(accountId: string, grantId: string, request?: HttpRequest): Promise<boolean>
  /**
   * Ends what was given out of a session of a browser without `offline_access`: codes, also those that are on their way, and
   * access tokens. Its clients that have a `backchannelLogoutUri` are told. Call it whenever a session ends in another way than
   * at `/end-session`.
   *
   * @param sessionKey the `lineage` of `signedIn`, or where it has none its `key`.
   */
  endSession(accountId: string, sessionKey: string): Promise<void>
  /**
   * Notifies clients that the sessions of an account have ended: call it when they end all at once, once its epoch is raised.
   * Returns at once, as `endSession` does not wait for that: what fails is an event `logout.failed`.
   *
   * @param options `except`: the name of the session that goes on, as `endSession` has it.
   */
  notifySessionsEnded(accountId: string, options?: { readonly except?: string }): void
  /**
   * Returns whether `endSession` was called for a session within the last eleven minutes, also where it has failed on the way. Nothing
   * more is given out of it: when its account signs in again, the session must have another `lineage`.
   */
  isSessionEnded(sessionKey: string): Promise<boolean>
  /**
   * Returns the origins whose pages may call a resource with an access token and without cookies: those of public web
   * clients, and `corsOrigins`. A change of clients shows within a minute.
   */
  listOrigins(): Promise<readonly string[]>
  /**
   * Returns the access token that a request to a resource of this server presents, while all goes on that it was given for.
   * It is `Bearer`, or `DPoP` with a proof for this request, which is used up. Rejects when there is no verdict, because a
   * store does not answer.
   */
  readAccessToken(
    request: Pick<HttpRequest, 'method' | 'target' | 'headers'>,
    options?: PresentedOptions,
  ): Promise<PresentedVerdict>
  /**
   * Whether a token that `readAccessToken` has accepted goes on: for connections that stay open, which show no further proof.
   * Rejects as that does.
   *
   * @param claims those of the token.
   */
  isAlive(claims: VerifiedClaims): Promise<boolean>
  /** Resolves when no client is being told of the end of a session, for shutdown and tests. */
  settled(): Promise<void>
}

/** What an account has allowed a client, as it is listed. */
export interface ListedGrant extends Grant {
  readonly clientName: string
}

/**
 * Creates an authorization server and OpenID provider: mount it at its `paths`, or hand over every request.
 *
 * @throws TypeError naming the option that is unknown, missing or not valid.
 *
 * @example
 * import { type AuthorizationServerOptions, createAuthorizationServer } from '@latchkey/oauth/server'
 * declare const options: AuthorizationServerOptions
 * const server = createAuthorizationServer({ ...options, issuer: 'https://id.example.com' })
 * await server.fetch(new Request('https://id.example.com/.well-known/openid-configuration'))
 */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const parts = createAuthorizationParts(createServerContext(options))
  const endpoints: readonly Endpoint[] = [
    createAuthorizeEndpoint(parts),
    createPushEndpoint(parts),
    ...(options.signOut ? [createEndSessionEndpoint(parts)] : []),
    ...createDiscoveryEndpoints(parts),
    deviceAuthorizationEndpoint,
    tokenEndpoint,
    revocationEndpoint,
    introspectionEndpoint,
    userinfoEndpoint,
  ]
  const byPath = new Map(endpoints.map((endpoint) => [endpoint.path, endpoint]))
  const handler = createHttpHandler((request) => answerRequest(parts, byPath.get(pathOf(request)) ?? null, request))
  return {
    ...handler,
    paths: [...byPath.keys()],
    scopes: [...parts.scopes],
    fixedClientIds: (options.fixedClients ?? []).map(({ id }) => id),
    readRequest: (browser, handle) => readRequest(parts, browser, handle),
    decide: (browser, decision) => decide(parts, browser, decision),
    readDevice: (browser, userCode) => readDevice(parts, browser, userCode),
    decideDevice: (browser, decision) => decideDevice(parts, browser, decision),
    listGrants: (accountId) => listGrants(parts, accountId),
    endSession: (accountId, sessionKey) => endSession(parts, accountId, sessionKey),
    notifySessionsEnded: (accountId, { except } = {}) => notifyClients(parts, accountId, (ended) => ended !== except),
    isSessionEnded: (sessionKey) => parts.endedSessions.has(sessionKey),
    isAlive: (claims) => livesOn(parts, claims),
    listOrigins: () => parts.clientOrigins(),
    revokeGrant: (accountId, grantId, request) => revokeGrant(parts, { accountId, grantId }, request),
    readAccessToken: (request, presented) => readPresentedToken(parts, request, presented),
    settled: () => parts.background.settled(),
  }
}

async function listGrants({ grants, clients }: ServerContext, accountId: string): Promise<readonly ListedGrant[]> {
  const listed = await grants.list(accountId)
  return Promise.all(listed.map(async (grant) => ({ ...grant, clientName: await clients.nameOf(grant.clientId) })))
}

async function revokeGrant(
  { grants, grantsFor, addressOf, emit }: ServerContext,
  { accountId, grantId }: { readonly accountId: string; readonly grantId: string },
  request?: HttpRequest,
): Promise<boolean> {
  const grant = await grants.get(grantId)
  const revoking = request ? grantsFor(request) : grants
  if (!grant || !(await revoking.revoke(accountId, grantId))) return false
  const by = { accountId, ...(request && { address: addressOf(request) }) }
  emit({ type: 'grant.revoked', ...by, clientId: grant.clientId, grantId })
  return true
}
