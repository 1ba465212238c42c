import type { SecretKeys } from '@latchkey/bytes'
import type { allowPlainHttpOnLoopback, HttpRequest, HttpResponse } from '@latchkey/http'
import type { KeyRing } from '@latchkey/jwt'
import type { RateLimit } from '@latchkey/rate-limit'
import type { RefreshTokens } from '@latchkey/sessions'
import type { DocumentStore, FactorProof, RecordStore, StoredRecord } from '@latchkey/store'
import type { FixedClient } from '../clients/fixed-clients.ts'
import type { RegisteredClient } from '../clients/registered-client.ts'
import type { OAuthEvent } from './oauth-event.ts'

export interface AuthorizationServerOptions {
  /** The origin of the service, `https:` except on loopback. It is the `iss` of tokens, and never taken from a request. */
  readonly issuer: string
  /** The store of codes and requests. Its consistency must be `strong`. */
  readonly records: RecordStore
  /**
   * The store of clients, consents and revoked access tokens, in the collections `oauth-client`, `oauth-grant`, `denials`,
   * `metadata-clients` and `metadata-client-blocks`.
   */
  readonly documents: DocumentStore
  /**
   * Runs around a change of a consent, for example to write two entries of an audit log. Must call `make`, which stores the change
   * and returns whether this call has changed the consent. If it rejects before `make`, nothing changes. `request`: the request
   * that causes the change; omitted: there is none.
   * @default `(_change, make) => make()`
   */
  readonly aroundGrantChange?: (
    change: {
      readonly type: 'grant.given' | 'grant.revoked'
      readonly accountId: string
      readonly clientId: string
      /** The host of an unregistered client's `client_id`. Omitted: the client is registered. */
      readonly clientHost?: string
      readonly grantId: string
    },
    make: () => Promise<boolean>,
    request?: HttpRequest,
  ) => Promise<unknown>
  /** Protect the forms, requests and device codes of the authorization. Each purpose has its own derived key. */
  readonly secrets: SecretKeys
  /** Sign access tokens, and id tokens if `idTokenKeys` is omitted. Symmetric keys are not supported. */
  readonly keys: KeyRing
  /**
   * Sign id tokens: rings of different algorithms. A client selects a ring by `idTokenSignedResponseAlg`; the default is the
   * first ring. OpenID Connect Discovery requires RS256 among the algorithms.
   * @default `keys`
   */
  readonly idTokenKeys?: KeyRing | readonly [KeyRing, ...KeyRing[]]
  /** The families of tokens, over the same `records`. */
  readonly refreshTokens: RefreshTokens
  /** The audiences of access tokens (RFC 8707). The first is the default of a request without `resource`. */
  readonly resources: readonly [string, ...string[]]
  /** The scopes in addition to `openid`, `profile`, `email`, `offline_access` and `online_access`. @default [] */
  readonly scopes?: readonly string[]
  /**
   * The scopes of a request without `scope` at `/authorize` and `/par` (RFC 6749 §3.3). Omitted: the request is refused with
   * `invalid_scope`.
   */
  readonly defaultScopes?: readonly string[]
  /** Clients that are registered in code. @default [] */
  readonly fixedClients?: readonly FixedClient[]
  /**
   * Allows unregistered clients, whose `client_id` is the `https:` URL of their metadata document
   * (draft-ietf-oauth-client-id-metadata-document). Omitted: only registered clients are allowed.
   *
   * They can use codes and refresh tokens only. `consent` does not apply to them: the user is asked again if the name or the host
   * of the redirect changes, and every time if the redirect leads to the user's computer or to an application.
   */
  readonly metadataClients?: {
    /** The allowed hosts of documents. `*.example.com`: each subdomain. `any`: each host. */
    readonly from: 'any' | readonly string[]
    /** Hosts to refuse, in the form of `from`. An entry takes precedence over `from`. @default [] */
    readonly except?: readonly string[]
    /** The scopes that these clients can request: scopes of `scopes` or of the protocols. */
    readonly scopes: readonly string[]
  }
  /** The name of the service. Pages show an unregistered client with this name by its host. Omitted: no name is reserved. */
  readonly serviceName?: string
  /** Returns the claims of an account (OpenID Connect Core §5.1); `null`: the account does not exist. */
  readonly claims: (subject: string) => Promise<{
    readonly name?: string
    readonly email?: string
    readonly email_verified?: boolean
  } | null>
  /** Returns the session of the browser that sent a request, or `null`. */
  readonly signedIn: (request: HttpRequest) => Promise<{
    /** The id of the account: the `sub` of tokens. */
    readonly subject: string
    /** The public name of the session. It must not be a credential. */
    readonly key: string
    /**
     * The name of the session that stays the same when the session is renewed, for example by a second sign-in of the same account.
     * `endSession` revokes codes and tokens by this name.
     * @default `key`
     */
    readonly lineage?: string
    /** The account's epoch at sign-in. */
    readonly epoch: number
    /** The proofs of the sign-in, with their times. */
    readonly factors: readonly FactorProof[]
  } | null>
  /** Returns the current state of an account; `null`: the account does not exist or cannot be used. */
  readonly accountState: (subject: string) => Promise<{
    /** Tokens with another epoch are revoked. */
    readonly epoch: number
  } | null>
  /**
   * Returns the expiry of a session of an account, in epoch milliseconds, if it is not used again; `null`: it is over. `lineage`:
   * the `lineage` of `signedIn`; if omitted there, its `key`. `isUse`: the call counts as use. Refresh tokens of `online_access`
   * expire with the session. Omitted: clients cannot request `online_access`.
   */
  readonly sessionState?: (
    subject: string,
    lineage: string,
    options: { readonly isUse: boolean },
  ) => Promise<{ readonly expiresAt: number } | null>
  /**
   * Returns the record of a family of tokens and the state of its account in one read, if both are in the same database; `null`:
   * one of them does not exist. Omitted: two reads, one after the other.
   */
  readonly readFamily?: (
    key: string,
  ) => Promise<{ readonly record: StoredRecord; readonly account: { readonly epoch: number } | null } | null>
  /** Decides on a request that no stored consent covers. @default () => 'ask' */
  readonly consent?: (question: {
    readonly client: RegisteredClient
    readonly scopes: readonly string[]
    readonly subject: string
  }) => 'granted' | 'ask' | Promise<'granted' | 'ask'>
  readonly pages: {
    /** The path of the sign-in page. After the sign-in it redirects to its parameter `return_to`, a path of this server. */
    readonly signIn: string
    /** The path of the consent page. It shows `readRequest` of its parameter `handle`, and calls `decide`. */
    readonly consent: string
    /** The path of the page on which users enter the code of a device. @default '/device' */
    readonly device?: string
  }
  /** The page of an error that cannot be sent to a client. @default a plain page */
  readonly errorPage?: (
    error: {
      readonly status: number
      /** An error code of the specifications. */
      readonly error: string
      /** The broken rule, as a sentence that quotes no part of the request. */
      readonly description: string
    },
    request: HttpRequest,
  ) => HttpResponse | Promise<HttpResponse>
  /** The page of the logout. @default a plain page */
  readonly logoutPage?: (
    page: /** Asks whether to sign out: a form that posts `fields` to `action`. */
      | {
          readonly step: 'ask'
          readonly action: string
          readonly fields: Readonly<Record<string, string>>
          /** The name of the client that requests the logout; `null`: unknown. */
          readonly clientName: string | null
          /** The sources for `form-action`, in addition to `'self'`. */
          readonly formTargets: readonly string[]
        }
      /** The user is signed out. */
      | { readonly step: 'done' },
    request: HttpRequest,
  ) => HttpResponse | Promise<HttpResponse>
  /**
   * Revokes the session of a browser at the logout. Returns headers for the response, for example `Set-Cookie`. Omitted: clients
   * cannot request a logout.
   */
  readonly signOut?: (
    request: HttpRequest,
    session: NonNullable<Awaited<ReturnType<AuthorizationServerOptions['signedIn']>>>,
  ) => HttpResponse['headers'] | Promise<HttpResponse['headers']>
  /** Limits failed authentications of clients by address, for example 30 a minute. Omitted: no limit. */
  readonly clientLimit?: RateLimit
  /** Limits wrong codes of devices by address and by account, for example 5 a minute. Omitted: no limit. */
  readonly userCodeLimit?: RateLimit
  /**
   * Limits, by address, the values that are stored for unauthenticated senders: pushed requests and device codes of public
   * clients, proofs of their failed requests, and requests that are too long for an address.
   * @default 300 a minute in each process
   */
  readonly pendingLimit?: RateLimit
  /** Returns the address by which attempts are counted. @default the address of the connection */
  readonly addressOf?: (request: HttpRequest) => string
  /**
   * The `SameSite` attribute of the session cookie. Browsers omit a `Strict` cookie if another site sends the request, so a page of
   * this server then repeats the request.
   * @default 'Lax'
   */
  readonly sessionSameSite?: 'Lax' | 'Strict'
  /** `allowPlainHttpOnLoopback`: cookies without `Secure`, because some browsers store none over `http://127.0.0.1`. */
  readonly transport?: typeof allowPlainHttpOnLoopback
  /** The lifetime of access tokens and id tokens, 300 to 900 seconds. @default 900 */
  readonly accessTokenSeconds?: number
  /**
   * Further origins whose pages may call `/token`, `/revoke` and `/userinfo`, without cookies. The origins of public web clients
   * are always allowed.
   * @default []
   */
  readonly corsOrigins?: readonly string[]
  /** The longest wait of a request for its user, 60 to 86,400 seconds. @default 1800 */
  readonly requestSeconds?: number
  /**
   * The longest lifetime of a session after it gave tokens to a client, 60 to 34,560,000 seconds. The server remembers for this
   * time which clients to notify of the end of the session.
   * @default 2_592_000
   */
  readonly sessionSeconds?: number
  /** Posts logout tokens to clients that have a `backchannelLogoutUri`. @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch
  /** The limit for the response of a client to a logout token, 100 to 30,000 milliseconds. @default 5000 */
  readonly logoutTimeoutMs?: number
  /** The clock, in epoch milliseconds. @default the clock of `records` */
  readonly now?: () => number
  /** Returns the version of stored values to write, as in `createSessions`. @default the newest */
  readonly storedVersion?: () => number
  /** Receives events. @default prints failures with `console.error` */
  readonly onEvent?: (event: OAuthEvent) => void
}

/** The session of a browser. */
export type SignedIn = NonNullable<Awaited<ReturnType<AuthorizationServerOptions['signedIn']>>>
/** The current state of an account. */
export type AccountState = NonNullable<Awaited<ReturnType<AuthorizationServerOptions['accountState']>>>
/** The claims about a user. */
export type UserClaims = NonNullable<Awaited<ReturnType<AuthorizationServerOptions['claims']>>>
export type ServerPages = AuthorizationServerOptions['pages']
