import type { SecretKeys } from '@latchkey/bytes'
import type { allowPlainHttpOnLoopback } from '@latchkey/http'
import type { RecordStore } from '@latchkey/store'
import type { Provider } from '../contract/provider.ts'
import type { OAuthClientEvent } from './client-event.ts'

/**
 * Passed as `clientSecret`: the client has none, and the provider cannot tell it from others that know its id. PKCE alone ties
 * a code to it (RFC 9700 §2.1.1).
 */
export const allowPublicClient: unique symbol = Symbol('allowPublicClient')

export interface OAuthClientOptions {
  /** The id by which the provider knows this client. */
  readonly clientId: string
  /** The secret of this client at the provider. Either this or `privateKey`. */
  readonly clientSecret?: string | typeof allowPublicClient
  /** Signs assertions in place of a secret (RFC 7523), or what Apple takes for a secret. */
  readonly privateKey?: {
    /** Its `kid` at the provider. */
    readonly id: string
    /** A `CryptoKey` of Web Crypto, for `sign`. It need not be extractable. */
    readonly key: Awaited<ReturnType<typeof crypto.subtle.importKey>>
  }
  /** Where the provider sends browsers back to, as it is registered there: of this provider alone. */
  readonly redirectUri: string
  /**
   * Other clients have this redirect URI too: then every answer must name its issuer (RFC 9207), so that the answer of one
   * provider cannot pass for that of another one.
   * @default false
   */
  readonly sharesRedirectUri?: boolean
  /** Who signs users in: one of `providers`, or one of your own. */
  readonly provider: Provider
  /** Where it is stored which callbacks were used; its consistency must be `strong`. */
  readonly records: RecordStore
  /** Seal what browsers and the store keep of a sign-in; each purpose derives its own. */
  readonly secrets: SecretKeys
  /** What is asked for. @default what the provider names */
  readonly scopes?: readonly string[]
  /** Asks for a refresh token. @default false */
  readonly offline?: boolean
  /**
   * How long the provider may take, in milliseconds: 100 to 30000. `finish` waits as long for discovery, where it is not known
   * yet, and again for what follows it.
   * @default 5000
   */
  readonly timeoutMs?: number
  /** `allowPlainHttpOnLoopback`: cookies without `Secure`, for browsers that keep none over `http://127.0.0.1`. */
  readonly transport?: typeof allowPlainHttpOnLoopback
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch
  /** The clock, epoch milliseconds. @default that of `records` */
  readonly now?: () => number
  /** Receives what happened. @default prints failures with `console.error` */
  readonly onEvent?: (event: OAuthClientEvent) => void
}
