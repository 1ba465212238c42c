import { createIdentityReader, type IdentityReader } from '@latchkey/http'
import type { CredentialRequest } from '@latchkey/http/internal'
import type { Identity } from '@latchkey/rbac'
import {
  type CredentialVerifiers,
  type CredentialVerifiersOptions,
  createCredentialVerifiers,
} from './account-session/credential-verifiers.ts'
import { isRenewable, type ReadCredential } from './account-session/renewable-credentials.ts'
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
  { cookies: { session: cookie }, resource, now }: ServicePlan,
  { authorization, ...parts }: IdentityReadersParts,
): IdentityReaders {
  // A request has ended before its credential does; what is remembered for streams would cost it a part of its time.
  const credentials = new WeakMap<Identity, ReadCredential>()
  const onRead = (identity: Identity, credential: ReadCredential): void => void credentials.set(identity, credential)
  const { accounts, makeIdentity } = parts
  const clientTokens =
    authorization && createClientTokens({ server: authorization.server, accounts, makeIdentity, resource, onRead })
  const once = createCredentialVerifiers(parts)
  const kept = createCredentialVerifiers({ ...parts, onRead })

  function reader(
    verify: CredentialVerifiers['session'],
    readOwn: CredentialVerifiers['token'],
    readOfClient: ReadClientToken | undefined,
  ): IdentityReader<Identity> {
    if (!readOfClient)
      return createIdentityReader<Identity>({ cookie: { cookie, verify }, bearer: { verify: readOwn } })
    // The keys of one are unknown to the other: no token is one of both.
    const bearer: ReadToken = async (token, request) => (await readOwn(token)) ?? readOfClient(request)
    return createIdentityReader<Identity>({
      cookie: { cookie, verify },
      bearer: { verify: bearer },
      dpop: { verify: (_token, request) => readOfClient(request) },
    })
  }

  return {
    identify: reader(once.session, once.token, clientTokens?.read),
    ofStreams: {
      identify: reader(kept.session, kept.token, clientTokens?.read),
      reidentify: reader(kept.sessionUnused, kept.token, clientTokens?.reread),
      expiresAt: (identity) => credentials.get(identity)?.expiresAt ?? null,
      async isRenewable(identity) {
        const credential = credentials.get(identity)
        return credential !== undefined && isRenewable(identity, credential, { accounts, now })
      },
    },
    clientTokens,
  }
}
