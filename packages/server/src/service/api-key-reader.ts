import type { Accounts } from '@latchkey/accounts'
import type { HttpRequest } from '@latchkey/http'
import type { CredentialRequest } from '@latchkey/http/internal'
import type { Identity } from '@latchkey/rbac'
import { translateError } from '../schema/translate-error.ts'
import type { MakeIdentity } from './account-session/credential-verifiers.ts'
import { type AttemptParts, readAttempt } from './account-session/presented-credentials.ts'
import type { ReadCredential } from './account-session/renewable-credentials.ts'

/** Reads API keys, for a resource that takes them. */
export interface ApiKeyReader {
  /** Returns whether a bearer token has the form of a key. It is read as a key only. */
  isApiKey(token: string): boolean
  /**
   * Returns the identity of a key, or `null`. It counts as a use of the key.
   *
   * @throws AccessError RATE_LIMITED.
   */
  read(key: string, request: CredentialRequest): Promise<Identity | null>
  /** Like `read`, for checks without a request: it counts for no limit. */
  reread(key: string, request: CredentialRequest): Promise<Identity | null>
}

export interface ApiKeyReaderParts {
  readonly accounts: Accounts
  readonly makeIdentity: MakeIdentity
  readonly attempts: AttemptParts
  readonly onRead: (identity: Identity, credential: ReadCredential) => void
}

/** Reads account and key for every request, so that a revocation takes effect on the next request. */
export function createApiKeyReader({ accounts, makeIdentity, attempts, onRead }: ApiKeyReaderParts): ApiKeyReader {
  async function identify(key: string, request: CredentialRequest, isUse: boolean): Promise<Identity | null> {
    // The reader hands over the request itself.
    const attempt = readAttempt(request as HttpRequest, attempts, 'native')
    const found = await accounts
      .forRequest(request)
      .identifyApiKey({ key, isUse, attempt })
      .catch((error: unknown) => {
        throw translateError(error) ?? error
      })
    const identity = found && (await makeIdentity(found.facts))
    if (identity) onRead(identity, { expiresAt: found.expiresAt, lineage: found.facts.lineage })
    return identity
  }
  return {
    isApiKey: (token) => accounts.isApiKey(token),
    read: (key, request) => identify(key, request, true),
    reread: (key, request) => identify(key, request, false),
  }
}
