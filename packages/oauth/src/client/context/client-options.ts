import type { SecretKeys } from '@latchkey/bytes'
import type { allowPlainHttpOnLoopback } from '@latchkey/http'
import type { RecordStore } from '@latchkey/store'
import type { Provider } from '../contract/provider.ts'
import type { OAuthClientEvent } from './client-event.ts'

/**
 * The value of `clientSecret` for a client without a secret. The provider cannot tell the client from others with the
 * same id; only PKCE binds a code to it (RFC 9700 §2.1.1).
 */
export const allowPublicClient: unique symbol = Symbol('allowPublicClient')

export interface OAuthClientOptions {
  /** The client's id at the provider. */
  readonly clientId: string
  /** The client's secret at the provider. Pass either this or `privateKey`. */
  readonly clientSecret?: string | typeof allowPublicClient
  /** The key that signs the client's assertions (RFC 7523), or Apple's client secret. */
  readonly privateKey?: {
    /** Its `kid` at the provider. */
    readonly id: string
    /** A `CryptoKey` of Web Crypto, for `sign`. It need not be extractable. */
    readonly key: Awaited<ReturnType<typeof crypto.subtle.importKey>>
  }
  /** The redirect URI that is registered at the provider. Use a separate URI for each provider. */
  readonly redirectUri: string
  /**
   * Other clients use the same redirect URI. Every answer must then name its issuer (RFC 9207), so that one provider
   * cannot answer for another.
   *
   * @default false
   */
  readonly sharesRedirectUri?: boolean
  /** A preset of `providers`, or your own provider. */
  readonly provider: Provider
  /** The store of used callbacks; its consistency must be `strong`. */
  readonly records: RecordStore
  /** The secrets that seal cookies and stored answers; each purpose derives its own key. */
  readonly secrets: SecretKeys
  /** The requested scopes. @default the provider's `scopes` */
  readonly scopes?: readonly string[]
  /** Whether to request a refresh token. @default false */
  readonly offline?: boolean
  /**
   * The limit for calls to the provider, in milliseconds: 100 to 30000. `finish` may take it twice: for discovery, and
   * for the requests after it.
   *
   * @default 5000
   */
  readonly timeoutMs?: number
  /**
   * `allowPlainHttpOnLoopback` omits `Secure` from cookies, because some browsers store no such cookie for
   * `http://127.0.0.1`.
   */
  readonly transport?: typeof allowPlainHttpOnLoopback
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch
  /** The clock, in epoch milliseconds. @default `records.now` */
  readonly now?: () => number
  /** Receives events. @default prints failures with `console.error` */
  readonly onEvent?: (event: OAuthClientEvent) => void
}
