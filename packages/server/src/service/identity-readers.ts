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
  /** For resources that take API keys beside the endpoint. */
  readonly apiKeys: ApiKeyReader
  /** `null`: there is no authorization server. */
  readonly clientTokens: ClientTokens | null
}

export interface IdentityReadersParts extends CredentialVerifiersOptions {
  readonly authorization: ServiceAuthorization | null
}

type ReadToken = (token: string, request: CredentialRequest) => Promise<Identity | null>
type ReadClientToken = (request: CredentialRequest) => Promise<Identity | null>

/** Creates what establishes who sent a request: by a session, a token of the service, or one of a client of others. */
export function createIdentityReaders(
  plan: ServicePlan,
  { authorization, ...parts }: IdentityReadersParts,
): IdentityReaders {
  const {
    cookies: { session: cookie },
    resource,
    now,
  } = plan
  // A request has ended before its credential does; what is remembered for streams would cost it a part of its time.
  const credentials = new WeakMap<Identity, ReadCredential>()
  const onRead = (identity: Identity, credential: ReadCredential): void => void credentials.set(identity, credential)
  const { accounts, makeIdentity } = parts
  const clientTokens =
    authorization && createClientTokens({ server: authorization.server, accounts, makeIdentity, resource, onRead })
  const apiKeys = createApiKeyReader({ accounts, makeIdentity, attempts: plan, onRead })
  const takesKeys = createKeyEndpoint(resource)
  const once = createCredentialVerifiers(parts)
  const kept = createCredentialVerifiers({ ...parts, onRead })

  function reader(
    verify: CredentialVerifiers['session'],
    readOwn: CredentialVerifiers['token'],
    readOfClient: ReadClientToken | undefined,
    readKey: ReadToken,
  ): IdentityReader<Identity> {
    // The keys of one are unknown to the other: no token is one of both.
    const bearer: ReadToken = async (token, request) => {
      if (apiKeys.isApiKey(token)) return takesKeys(request) ? readKey(token, request) : null
      return (await readOwn(token)) ?? readOfClient?.(request) ?? null
    }
    if (!readOfClient) return createIdentityReader<Identity>({ cookie: { cookie, verify }, bearer: { verify: bearer } })
    return createIdentityReader<Identity>({
      cookie: { cookie, verify },
      bearer: { verify: bearer },
      dpop: { verify: (_token, request) => readOfClient(request) },
    })
  }

  return {
    identify: reader(once.session, once.token, clientTokens?.read, apiKeys.read),
    ofStreams: {
      identify: reader(kept.session, kept.token, clientTokens?.read, apiKeys.read),
      reidentify: reader(kept.sessionUnused, kept.token, clientTokens?.reread, apiKeys.reread),
      expiresAt: (identity) => credentials.get(identity)?.expiresAt ?? null,
      async isRenewable(identity) {
        const credential = credentials.get(identity)
        return credential !== undefined && isRenewable(identity, credential, { accounts, now })
      },
    },
    apiKeys,
    clientTokens,
  }
}

/** Keys are a credential of the endpoint and its streams, and of no page. */
function createKeyEndpoint(resource: string): (request: CredentialRequest) => boolean {
  const { pathname } = new URL(resource)
  return ({ target = '' }) => {
    const [path] = target.split('?', 1)
    return path === pathname || path === `${pathname}/stream`
  }
}
