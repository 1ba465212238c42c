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
  /** The address of the service: an origin, `https:` but on loopback. It is `iss`, and never taken from a request. */
  readonly issuer: string
  /** Where codes and requests are stored; its consistency must be `strong`. */
  readonly records: RecordStore
  /**
   * Where clients, grants and revoked access tokens are stored: the collections `oauth-client`, `oauth-grant`, `denials`, `metadata-clients`
   * and `metadata-client-blocks`.
   */
  readonly documents: DocumentStore
  /**
   * Calls `make`, which stores a change of a grant and returns whether this call has changed it, for example between two
   * entries of an audit log. If it rejects before `make`, nothing changes. `request`: the request that changes the grant;
   * omitted: there is none.
   * @default `(_change, make) => make()`
   */
  readonly aroundGrantChange?: (
    change: {
      readonly type: 'grant.given' | 'grant.revoked'
      readonly accountId: string
      readonly clientId: string
      /** The host of its `client_id`. Omitted: the client is registered. */
      readonly clientHost?: string
      readonly grantId: string
    },
    make: () => Promise<boolean>,
    request?: HttpRequest,
  ) => Promise<unknown>
  /** For the forms and cookies of the authorization; each purpose derives its own. */
  readonly secrets: SecretKeys
  /** Sign access tokens, and id tokens where those have no keys of their own. Symmetric keys cannot be published. */
  readonly keys: KeyRing
  /**
   * Sign id tokens: rings of different algorithms, of which a client chooses by `idTokenSignedResponseAlg`; the first one where it
   * does not. OpenID Connect Discovery asks for one of RS256.
   * @default `keys`
   */
  readonly idTokenKeys?: KeyRing | readonly [KeyRing, ...KeyRing[]]
  /** Families of tokens, over the same records. */
  readonly refreshTokens: RefreshTokens
  /** The resources that tokens are for (RFC 8707); the first one where a request names none. */
  readonly resources: readonly [string, ...string[]]
  /** What can be asked for beside `openid`, `profile`, `email`, `offline_access` and `online_access`. @default [] */
  readonly scopes?: readonly string[]
  /**
   * What `/authorize` and `/par` take a request without `scope` for (RFC 6749 §3.3). Omitted: such a request is refused with
   * `invalid_scope`.
   */
  readonly defaultScopes?: readonly string[]
  /** Clients that are written in code. @default [] */
  readonly fixedClients?: readonly FixedClient[]
  /**
   * Clients that nobody registered: their `client_id` is the https URL of a document that says what they are
   * (draft-ietf-oauth-client-id-metadata-document). Omitted: there are none.
   *
   * They use codes and refresh tokens only. An account is asked again when the name or the host of the redirect changes, and each time
   * where the redirect is no `https:` address; `consent` is not asked.
   */
  readonly metadataClients?: {
    /** Hosts of documents, `*.example.com` for every host below one; `any`: every host. */
    readonly from: 'any' | readonly string[]
    /** Hosts that are refused all the same. @default [] */
    readonly except?: readonly string[]
    /** What such clients may ask for, each one of `scopes` or of the protocols. */
    readonly scopes: readonly string[]
  }
  /** The name of the service, which no client that nobody registered is shown by. Omitted: it has none. */
  readonly serviceName?: string
  /** Returns what is known of an account, by the names of OpenID Connect Core §5.1; `null`: it does not exist. */
  readonly claims: (subject: string) => Promise<{
    readonly name?: string
    readonly email?: string
    readonly email_verified?: boolean
  } | null>
  /** Returns the session of the browser that sent a request, or `null`. */
  readonly signedIn: (request: HttpRequest) => Promise<{
    /** The id of the account: `sub`. */
    readonly subject: string
    /** The public name of the session, which is no credential. */
    readonly key: string
    /**
     * What names it through every renewal, such as a sign-in again of the same account: what is given out of it ends by this name.
     * @default `key`
     */
    readonly lineage?: string
    /** The account's epoch at sign-in. */
    readonly epoch: number
    /** What was proven for the session, and when. */
    readonly factors: readonly FactorProof[]
  } | null>
  /** Returns the account as it is now; `null`: it may not be used any more. */
  readonly accountState: (subject: string) => Promise<{
    /** Tokens of another epoch have ended. */
    readonly epoch: number
  } | null>
  /**
   * Returns when a session of an account ends unless it is used again, epoch milliseconds; `null`: it has ended. `lineage`: that of
   * `signedIn`, or where it has none the `key`. With `isUse` the call counts as use. Refresh tokens of `online_access` end by it.
   * Omitted: clients cannot ask for `online_access`.
   */
  readonly sessionState?: (
    subject: string,
    lineage: string,
    options: { readonly isUse: boolean },
  ) => Promise<{ readonly expiresAt: number } | null>
  /**
   * Returns the record of a family of tokens and its account as `accountState` does, read at the same time; `null`: one of
   * them does not exist. For records and accounts of one database. Omitted: they are read one after the other.
   */
  readonly readFamily?: (
    key: string,
  ) => Promise<{ readonly record: StoredRecord; readonly account: { readonly epoch: number } | null } | null>
  /** Whether users are asked what no remembered consent covers. @default () => 'ask' */
  readonly consent?: (question: {
    readonly client: RegisteredClient
    readonly scopes: readonly string[]
    readonly subject: string
  }) => 'granted' | 'ask' | Promise<'granted' | 'ask'>
  readonly pages: {
    /** Signs in and then goes to its parameter `return_to`, which is a path of this server. */
    readonly signIn: string
    /** Shows `readRequest(handle)` of its parameter `handle`, and calls `decide`. */
    readonly consent: string
    /** Where users enter the code of a device. @default '/device' */
    readonly device?: string
  }
  /** Shows what cannot be told to a client. @default a plain page */
  readonly errorPage?: (
    error: {
      readonly status: number
      /** A word of the specifications. */
      readonly error: string
      /** The rule that was broken: a sentence without anything that was sent. */
      readonly description: string
    },
    request: HttpRequest,
  ) => HttpResponse | Promise<HttpResponse>
  /** The page of logout. @default a plain one */
  readonly logoutPage?: (
    page: /** Asks whether to sign out: a form that posts `fields` to `action`. */
      | {
          readonly step: 'ask'
          readonly action: string
          readonly fields: Readonly<Record<string, string>>
          /** The client that has asked for it; `null`: it is not known. */
          readonly clientName: string | null
          /** What `form-action` must name beside `'self'`. */
          readonly formTargets: readonly string[]
        }
      /** No one is signed in any more. */
      | { readonly step: 'done' },
    request: HttpRequest,
  ) => HttpResponse | Promise<HttpResponse>
  /**
   * Ends a browser's session at logout: returns the headers for its response, such as `Set-Cookie`. Omitted: clients cannot ask
   * for logout.
   */
  readonly signOut?: (
    request: HttpRequest,
    session: NonNullable<Awaited<ReturnType<AuthorizationServerOptions['signedIn']>>>,
  ) => HttpResponse['headers'] | Promise<HttpResponse['headers']>
  /** Counts authentications of clients that failed, by address: 30 a minute, say. Omitted: they are not limited. */
  readonly clientLimit?: RateLimit
  /** Counts wrong codes of devices, by address and by account: 5 a minute, say. Omitted: they are not limited. */
  readonly userCodeLimit?: RateLimit
  /**
   * Counts, by address, what is stored for clients and browsers that have not shown who they are: pushed requests and codes of
   * devices of public clients, proofs with which these got nothing, and requests that are too long for an address.
   * @default 300 a minute in each process
   */
  readonly pendingLimit?: RateLimit
  /** Returns what attempts are counted by. @default the address of the connection */
  readonly addressOf?: (request: HttpRequest) => string
  /**
   * `Strict`, where the cookie of sessions is: a browser that comes from another site then shows it only to a request that
   * a page of this one has made.
   * @default 'Lax'
   */
  readonly sessionSameSite?: 'Lax' | 'Strict'
  /** `allowPlainHttpOnLoopback`: cookies without `Secure`, for browsers that keep none over `http://127.0.0.1`. */
  readonly transport?: typeof allowPlainHttpOnLoopback
  /** How long access tokens and id tokens live: 300 to 900. @default 900 */
  readonly accessTokenSeconds?: number
  /**
   * Origins beside those of public web clients whose pages may call `/token`, `/revoke` and `/userinfo`, without cookies.
   * @default []
   */
  readonly corsOrigins?: readonly string[]
  /** How long a request may wait for its user. @default 1800 */
  readonly requestSeconds?: number
  /**
   * How long a session lives at most after a client was given tokens out of it: for so long it is remembered which clients are
   * told of its end.
   * @default 2_592_000
   */
  readonly sessionSeconds?: number
  /** Posts logout tokens to clients that have a `backchannelLogoutUri`. @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch
  /** How long a client may take for the answer, in milliseconds: 100 to 30,000. @default 5000 */
  readonly logoutTimeoutMs?: number
  /** The clock, epoch milliseconds. @default that of `records` */
  readonly now?: () => number
  /** Returns the version of stored values to write, as in `createSessions`. @default the newest */
  readonly storedVersion?: () => number
  /** Receives what happened. @default prints failures with `console.error` */
  readonly onEvent?: (event: OAuthEvent) => void
}

/** Who is signed in in a browser. */
export type SignedIn = NonNullable<Awaited<ReturnType<AuthorizationServerOptions['signedIn']>>>
/** An account as it is now. */
export type AccountState = NonNullable<Awaited<ReturnType<AuthorizationServerOptions['accountState']>>>
/** What is said of a user. */
export type UserClaims = NonNullable<Awaited<ReturnType<AuthorizationServerOptions['claims']>>>
export type ServerPages = AuthorizationServerOptions['pages']
