import { createHttpHandler, type HttpRequest } from '@latchkey/http'
import { answerRequest } from './answer-request.ts'
import { createAuthorizationParts } from './authorization/authorization-parts.ts'
import { createAuthorizeEndpoint } from './authorization/authorize-endpoint.ts'
import { decide, readRequest } from './authorization/consent.ts'
import { createPushEndpoint } from './authorization/push-endpoint.ts'
import { hostOfClientId } from './clients/client-host.ts'
import type { AuthorizationServer } from './context/authorization-server.ts'
import type { Endpoint } from './context/endpoint.ts'
import { createServerContext, type ServerContext } from './context/server-context.ts'
import type { AuthorizationServerOptions } from './context/server-options.ts'
import { deviceAuthorizationEndpoint } from './device/device-authorization-endpoint.ts'
import { decideDevice, readDevice } from './device/device-decision.ts'
import { livesOn } from './issuing/access-tokens.ts'
import { createDiscoveryEndpoints } from './metadata/discovery-endpoints.ts'
import { pathOf } from './parameters/read-request.ts'
import { bindSessions, type SessionEnds } from './sessions/bind-sessions.ts'
import { endSession } from './sessions/end-session.ts'
import { createEndSessionEndpoint } from './sessions/end-session-endpoint.ts'
import { notifyClients } from './sessions/notify-clients.ts'
import { introspectionEndpoint } from './tokens/introspection-endpoint.ts'
import { readPresentedToken } from './tokens/presented-access-token.ts'
import { revocationEndpoint } from './tokens/revocation-endpoint.ts'
import { tokenEndpoint } from './tokens/token-endpoint.ts'
import { userinfoEndpoint } from './tokens/userinfo-endpoint.ts'

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
  const sessionEnds: SessionEnds = {
    endSession: (accountId, sessionKey) => endSession(parts, accountId, sessionKey),
    renewSession: (accountId, sessionKey) => parts.sessionClients.renew(accountId, sessionKey),
    notifySessionsEnded: (accountId, { except } = {}) => notifyClients(parts, accountId, (ended) => ended !== except),
    isSessionEnded: (sessionKey) => parts.endedSessions.has(sessionKey),
  }
  return {
    ...handler,
    ...sessionEnds,
    bindSessions: (sessions) => bindSessions(sessionEnds, sessions),
    paths: [...byPath.keys()],
    scopes: [...parts.scopes],
    fixedClientIds: (options.fixedClients ?? []).map(({ id }) => id),
    readRequest: (browser, handle) => readRequest(parts, browser, handle),
    decide: (browser, decision) => decide(parts, browser, decision),
    readDevice: (browser, userCode) => readDevice(parts, browser, userCode),
    decideDevice: (browser, decision) => decideDevice(parts, browser, decision),
    listGrants: (accountId) => listGrants(parts, accountId),
    isAlive: (claims, options) => livesOn(parts, claims, options),
    listOrigins: () => parts.clientOrigins(),
    revokeGrant: (accountId, grantId, request) => revokeGrant(parts, { accountId, grantId }, request),
    readAccessToken: (request, presented) => readPresentedToken(parts, request, presented),
    settled: () => parts.background.settled(),
  }
}

async function listGrants(
  { grants, clients }: ServerContext,
  accountId: string,
): ReturnType<AuthorizationServer['listGrants']> {
  const listed = await grants.list(accountId)
  return Promise.all(
    listed.map(async ({ shown, ...grant }) => ({
      ...grant,
      redirectTarget: shown?.redirectTarget ?? null,
      clientName: await clients.nameOf(grant.clientId),
      clientHost: hostOfClientId(grant.clientId),
    })),
  )
}

async function revokeGrant(
  { grants, addressOf, emit }: ServerContext,
  { accountId, grantId }: { readonly accountId: string; readonly grantId: string },
  request?: HttpRequest,
): Promise<boolean> {
  const grant = await grants.revoke(accountId, grantId, request)
  if (!grant) return false
  const by = { accountId, ...(request && { address: addressOf(request) }) }
  emit({ type: 'grant.revoked', ...by, clientId: grant.clientId, grantId })
  return true
}
