import { createIdentityReader, type IdentityReader } from '@latchkey/http'
import type { CredentialRequest } from '@latchkey/http/internal'
import type { Identity } from '@latchkey/rbac'
import {
  type CredentialVerifiers,
  type CredentialVerifiersOptions,
  createCredentialVerifiers,
} from './account-session/credential-verifiers.ts'
import { isRenewable, type ReadCredential } from './account-session/renewable-credentials.ts'
import { type ApiKeyReader, createApiKeyReader } from './api-key-reader.ts'
import { type ClientTokens, createClientTokens } from './clients/client-tokens.ts'
import type { ServicePlan } from './plan/service-plan.ts'
import type { ServiceAuthorization } from './service-authorization.ts'

export interface IdentityReaders {
  readonly identify: IdentityReader<Identity>
  readonly ofStreams: {
    readonly identify: IdentityReader<Identity>
    /** For open subscriptions: it does not keep a session alive. */
    readonly reidentify: IdentityReader<Identity>
    readonly expiresAt: (identity: Identity) => number | null
    readonly isRenewable: (identity: Identity) => Promise<boolean>
  }
  /** For `/mcp`, which accepts clients' tokens and API keys only; `null` without the option. */
  readonly ofTools: {
    readonly identify: IdentityReader<Identity>
    /** Again, for a request that is still arriving. */
    readonly reidentify: IdentityReader<Identity>
  } | null
  /** `null`: there is no authorization server. */
  readonly clientTokens: ClientTokens | null
}

export interface IdentityReadersParts extends CredentialVerifiersOptions {
  readonly authorization: ServiceAuthorization | null
}

type ReadToken = (token: string, request: CredentialRequest) => Promise<Identity | null>
type ReadClientToken = (request: CredentialRequest) => Promise<Identity | null>

/** Creates the readers of identities: by a session, a token of the service, or a client's token. */
export function createIdentityReaders(
  plan: ServicePlan,
  { authorization, ...parts }: IdentityReadersParts,
): IdentityReaders {
  const { cookies, resources, now } = plan
  // Only streams outlive their credential, so requests do not pay for remembering it.
  const credentials = new WeakMap<Identity, ReadCredential>()
  const onRead = (identity: Identity, credential: ReadCredential): void => void credentials.set(identity, credential)
  const { accounts, makeIdentity } = parts
  const clientTokens =
    authorization && createClientTokens({ server: authorization.server, accounts, makeIdentity, onRead })
  const apiKeys = createApiKeyReader({ accounts, makeIdentity, attempts: plan, onRead })
  const once = createCredentialVerifiers(parts)
  const kept = createCredentialVerifiers({ ...parts, onRead })
  const atEndpoint = clientTokens?.readerAt(resources.endpoint.address)

  function reader(
    verify: CredentialVerifiers['session'],
    readOwn: CredentialVerifiers['token'],
    readOfClient: ReadClientToken | undefined,
    readKey: ReadToken,
  ): IdentityReader<Identity> {
    // Each verifier knows only its own keys, so no token is accepted by both.
    const bearer: ReadToken = async (token, request) => {
      if (apiKeys.isApiKey(token)) return takesKeys(request, resources) ? readKey(token, request) : null
      return (await readOwn(token)) ?? readOfClient?.(request) ?? null
    }
    return createIdentityReader<Identity>({
      cookie: { cookie: cookies.session, verify },
      ...tokenVerifiers(bearer, readOfClient),
    })
  }

  return {
    identify: reader(once.session, once.token, atEndpoint, apiKeys.read),
    ofStreams: {
      identify: reader(kept.session, kept.token, atEndpoint, apiKeys.read),
      reidentify: reader(kept.sessionUnused, kept.token, clientTokens?.reread, apiKeys.reread),
      expiresAt: (identity) => credentials.get(identity)?.expiresAt ?? null,
      async isRenewable(identity) {
        const credential = credentials.get(identity)
        return credential !== undefined && isRenewable(identity, credential, { accounts, now })
      },
    },
    ofTools: resources.mcp && createToolReaders({ resource: resources.mcp.address, clientTokens, apiKeys }),
    clientTokens,
  }
}

function tokenVerifiers(
  bearer: ReadToken,
  readOfClient: ReadClientToken | undefined,
): Pick<Parameters<typeof createIdentityReader<Identity>>[0], 'bearer' | 'dpop'> {
  return {
    bearer: { verify: bearer },
    ...(readOfClient && { dpop: { verify: (_token, request) => readOfClient(request) } }),
  }
}

/** Keys are a credential of the endpoint and its streams, and of no page. */
function takesKeys({ target = '' }: CredentialRequest, { endpoint: { path } }: ServicePlan['resources']): boolean {
  const [asked] = target.split('?', 1)
  return asked === path || asked === `${path}/stream`
}

interface ToolReadersParts {
  readonly resource: string
  readonly clientTokens: ClientTokens | null
  readonly apiKeys: ApiKeyReader
}

/** Refuses first-party clients, because they act as their user, which an agent must not. */
function createToolReaders({
  resource,
  clientTokens,
  apiKeys,
}: ToolReadersParts): NonNullable<IdentityReaders['ofTools']> {
  function reader(readOfClient: ReadClientToken | undefined, readKey: ReadToken): IdentityReader<Identity> {
    const ofOthers: ReadClientToken | undefined =
      readOfClient &&
      (async (request) => {
        const identity = await readOfClient(request)
        return identity?.firstParty ? null : identity
      })
    const bearer: ReadToken = async (token, request) =>
      apiKeys.isApiKey(token) ? readKey(token, request) : (ofOthers?.(request) ?? null)
    return createIdentityReader<Identity>(tokenVerifiers(bearer, ofOthers))
  }
  return {
    identify: reader(clientTokens?.readerAt(resource), apiKeys.read),
    reidentify: reader(clientTokens?.reread, apiKeys.reread),
  }
}
