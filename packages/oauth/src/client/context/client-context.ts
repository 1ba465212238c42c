import { createEmitter, type Emit, wallClock, within } from '@latchkey/core/internal'
import {
  allowInsecureRequests,
  type Client,
  type ClientAuth,
  clockSkew,
  clockTolerance,
  customFetch,
} from 'oauth4webapi'
import { isOAuthError, OAuthError } from '../../errors.ts'
import { createSingleUse, type SingleUse } from '../../proofs/single-use.ts'
import { type CachedDocument, createCachedDocument } from '../connection/cached-document.ts'
import { isPlainLoopback } from '../connection/provider-address.ts'
import { createProviderFetch, type ProviderFetch } from '../connection/provider-fetch.ts'
import type { Provider } from '../contract/provider.ts'
import { loadKeys, loadMetadata, type ProviderMetadata, type PublishedKeys } from '../metadata/provider-metadata.ts'
import { createPostedAnswers, type PostedAnswers } from '../transactions/posted-answers.ts'
import { createTransactionCookies, type TransactionCookies } from '../transactions/transaction-cookies.ts'
import { checkOptions } from './check-options.ts'
import { authenticationOf } from './client-authentication.ts'
import type { OAuthClientEvent } from './client-event.ts'
import type { OAuthClientOptions } from './client-options.ts'
import { claimRedirect } from './shared-redirects.ts'

/** The checked options of a client and the services made from them. */
export interface ClientContext {
  readonly clientId: string
  readonly redirectUri: string
  readonly sharesRedirectUri: boolean
  readonly provider: Provider
  readonly scopes: readonly string[]
  readonly offline: boolean
  readonly cookies: TransactionCookies
  readonly postedAnswers: PostedAnswers
  /** The used callbacks, by `state`. */
  readonly callbacks: SingleUse
  /** The used logout tokens, by `jti`. */
  readonly logouts: SingleUse
  readonly fetch: ProviderFetch
  readonly metadata: CachedDocument<ProviderMetadata>
  readonly keys: CachedDocument<PublishedKeys>
  /** The client in the form of oauth4webapi, with the clock of `now`. */
  libraryClient(): Client
  /** The request options of oauth4webapi. */
  readonly libraryOptions: { readonly [customFetch]: ProviderFetch; readonly [allowInsecureRequests]: boolean }
  authentication(metadata: ProviderMetadata): Promise<ClientAuth>
  /**
   * Runs `ask` within `timeoutMs`. Failures are reported to the listener.
   *
   * @throws OAuthError `OAUTH_PROVIDER_UNAVAILABLE`, `OAUTH_PROVIDER_INVALID`, `OAUTH_CLIENT_REJECTED`
   */
  askProvider<Result>(ask: (metadata: ProviderMetadata) => Promise<Result>): Promise<Result>
  readonly now: () => number
  readonly emit: Emit<OAuthClientEvent>
}

/** The accepted difference between the clocks of the provider and this machine. */
export const toleranceSeconds = 30

const metadataAgeMs = 3_600_000
const keysAgeMs = 600_000
/** The shortest time between two loads, after a failure and for unknown keys. */
const cooldowns = { metadata: 5000, keys: 30_000 } as const

/** @throws TypeError naming the option that is unknown, missing or not valid. */
export function createClientContext(options: OAuthClientOptions): ClientContext {
  checkOptions(options)
  const { clientId, redirectUri, provider, records, secrets, timeoutMs = 5000, transport } = options
  const now = options.now ?? (() => records.now())
  const fetch = createProviderFetch({ fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)), timeoutMs })
  const owner = [provider.name, provider.issuer, clientId, redirectUri]
  const emit = createEmitter<OAuthClientEvent>({ onEvent: options.onEvent, now })
  const metadata = createCachedDocument({
    load: () => loadMetadata(provider, fetch),
    maxAgeMs: metadataAgeMs,
    cooldownMs: cooldowns.metadata,
    now,
  })
  const keys = createCachedDocument({
    load: async () => loadKeys((await metadata.current()).jwks_uri ?? '', fetch),
    maxAgeMs: keysAgeMs,
    cooldownMs: cooldowns.keys,
    now,
  })
  const context: ClientContext = {
    clientId,
    redirectUri,
    sharesRedirectUri: options.sharesRedirectUri ?? false,
    provider,
    scopes: options.scopes ?? provider.scopes,
    offline: options.offline ?? false,
    cookies: createTransactionCookies({ secrets, owner, transport, now }),
    postedAnswers: createPostedAnswers({ records, secrets, owner, now }),
    callbacks: createSingleUse(records, 'oc'),
    logouts: createSingleUse(records, 'ol'),
    fetch,
    metadata,
    keys,
    libraryClient: () => ({
      client_id: clientId,
      [clockSkew]: Math.floor(now() / 1000) - Math.floor(wallClock() / 1000),
      [clockTolerance]: toleranceSeconds,
    }),
    libraryOptions: { [customFetch]: fetch, [allowInsecureRequests]: isPlainLoopback(provider.issuer) },
    authentication: (found) => authenticationOf(options, found, now()),
    async askProvider(ask) {
      try {
        return await within(timeoutMs, askWith(metadata, ask), tooSlow)
      } catch (error) {
        if (isOAuthError(error))
          emit({ type: 'provider.failed', provider: provider.name, failure: error.code, cause: error })
        throw error
      }
    },
    now,
    emit,
  }
  // The last step: if an option is invalid, the address stays free.
  claimRedirect(options)
  return context
}

async function askWith<Result>(
  metadata: CachedDocument<ProviderMetadata>,
  ask: (metadata: ProviderMetadata) => Promise<Result>,
): Promise<Result> {
  return ask(await metadata.current())
}

function tooSlow(): OAuthError {
  return new OAuthError('OAUTH_PROVIDER_UNAVAILABLE', 'the provider does not answer in time')
}
