import type { SecretKeys } from '@latchkey/bytes'
import type { allowPlainHttpOnLoopback, HttpHandler, HttpRequest, HttpResponse } from '@latchkey/http'
import type { KeyRing, VerifiedClaims } from '@latchkey/jwt'
import type { RateLimit } from '@latchkey/rate-limit'
import type { RefreshTokens, Sessions } from '@latchkey/sessions'
import type { DocumentStore, FactorProof, RecordStore, StoredRecord } from '@latchkey/store'
import type { Inline } from '../inline.ts'
import type { AuthorizationEvent } from '../observe/authorization-event.ts'

/** The argument of `oauth`: options of `createAuthorizationServer` of `@latchkey/oauth/server`. */
export interface AuthorizationParts {
  /** The origin of `baseUrl`. */
  readonly issuer: string
  readonly records: RecordStore
  readonly documents: DocumentStore
  /** Writes each change of a grant into the audit log, before it and after it. */
  readonly aroundGrantChange: (
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
  ) => Promise<void>
  readonly secrets: SecretKeys
  /** The key ring for clients' tokens. The service's own tokens have another ring. Its public keys are published. */
  readonly keys: KeyRing
  /** The same ring, and the ring for RS256, which clients can choose for id tokens. */
  readonly idTokenKeys: readonly [KeyRing, ...KeyRing[]]
  readonly refreshTokens: RefreshTokens
  /** The option `pages.name`. Omitted: it is not set. */
  readonly serviceName?: string
  /** The addresses of the GraphQL endpoint and, with the option `mcp`, of `/mcp`. */
  readonly resources: readonly [string, ...string[]]
  /** The permissions of the policy, and its groups of them. */
  readonly scopes: readonly string[]
  readonly claims: (
    subject: string,
  ) => Promise<{ readonly name: string; readonly email: string; readonly email_verified: boolean } | null>
  /** Returns the account that is signed in in a browser. */
  readonly signedIn: (request: HttpRequest) => Promise<{
    readonly subject: string
    /** The public name of the session. */
    readonly key: string
    /** Names the session through every renewal. */
    readonly lineage: string
    readonly epoch: number
    readonly factors: readonly FactorProof[]
  } | null>
  /**
   * Returns the expiry of a session if it is not used again, in epoch milliseconds; with `isUse` the call counts as
   * use.
   */
  readonly sessionState: (
    subject: string,
    lineage: string,
    options: { readonly isUse: boolean },
  ) => Promise<{ readonly expiresAt: number } | null>
  readonly accountState: (subject: string) => Promise<{ readonly epoch: number } | null>
  /** Reads a family of tokens and its account in one statement. Omitted: the stores cannot. */
  readonly readFamily?: (
    key: string,
  ) => Promise<{ readonly record: StoredRecord; readonly account: { readonly epoch: number } | null } | null>
  readonly pages: { readonly signIn: string; readonly consent: string; readonly device: string }
  /** Returns the page of an error that cannot go back to a client. */
  readonly errorPage?: (
    error: {
      readonly status: number
      readonly error: string
      /** The rule that was broken: a sentence without anything that was sent. */
      readonly description: string
    },
    request: HttpRequest,
  ) => HttpResponse
  /** Returns the page of logout: a form that posts `fields` to `action`, or that all is done. */
  readonly logoutPage?: (
    page:
      | {
          readonly step: 'ask'
          readonly action: string
          readonly fields: Readonly<Record<string, string>>
          readonly clientName: string | null
          readonly formTargets: readonly string[]
        }
      | { readonly step: 'done' },
    request: HttpRequest,
  ) => HttpResponse
  readonly signOut: (
    request: HttpRequest,
    session: { readonly subject: string; readonly key: string },
  ) => Promise<HttpResponse['headers']>
  readonly clientLimit: RateLimit
  readonly userCodeLimit: RateLimit
  readonly addressOf: (request: HttpRequest) => string
  readonly sessionSameSite: 'Lax' | 'Strict'
  readonly transport?: typeof allowPlainHttpOnLoopback
  readonly accessTokenSeconds: number
  /** How long a session lives at most. */
  readonly sessionSeconds: number
  readonly corsOrigins: readonly string[]
  readonly now: () => number
  /** Returns the version of stored values to write. */
  readonly storedVersion: () => number
  readonly onEvent: (event: AuthorizationEvent) => void
}

/** The pages by which people answer clients. */
export type AuthorizationPages = Pick<AuthorizationParts, 'pages' | 'errorPage' | 'logoutPage'>

/** The consent of an account to a client. */
export interface ClientConsent {
  readonly id: string
  readonly clientId: string
  /** Its name on pages. */
  readonly clientName: string
  /** The host of its `client_id`, which is a URL; `null`: the client is registered. */
  readonly clientHost: string | null
  /** The host of the redirect, or its scheme, at the latest consent; `null`: the client is registered. */
  readonly redirectTarget: string | null
  readonly scopes: readonly string[]
  /** Epoch milliseconds. */
  readonly givenAt: number
}

/** The authorization server of a service, as `createAuthorizationServer` of `@latchkey/oauth/server` returns it. */
export interface ServiceAuthorizationServer extends Pick<HttpHandler, 'handle'> {
  readonly paths: readonly string[]
  readonly scopes: readonly string[]
  readonly fixedClientIds: readonly string[]
  /** Returns an authorization request that waits for its user. */
  readRequest(
    browser: HttpRequest,
    handle: string | null,
  ): Promise<{
    readonly client: { readonly id: string; readonly name: string; readonly kind: 'web' | 'native' }
    /** The host of its `client_id`, which is a URL; `null`: the client is registered. */
    readonly clientHost: string | null
    readonly scopes: readonly string[]
    /** The scopes that the account has not allowed the client before. */
    readonly newScopes: readonly string[]
    /** The destination of the response, as text for people. */
    readonly redirectTarget: string
    /** The source that `form-action` needs in addition to `'self'`. */
    readonly formTarget: string
    /** Whether the response goes to a port of the computer of the user. */
    readonly isAnsweredHere: boolean
    readonly loginHint: string | null
    /** The authentication classes (`acr`) that the client requests. */
    readonly acrValues: readonly string[]
    /** The missing step of the user; the request continues without a second factor, too. */
    readonly needs: 'sign-in' | 'second-factor' | null
    /** The account that is signed in. */
    readonly subject: string | null
    readonly token: string | null
  } | null>
  decide(
    browser: HttpRequest,
    decision: { readonly handle: string; readonly token: string | null; readonly decision: 'allow' | 'deny' },
  ): Promise<
    | { readonly ok: true; readonly location: string }
    | { readonly ok: false; readonly reason: 'unknown' | 'signed-out' | 'token' }
  >
  /**
   * Returns a device whose user has entered its code. `over`: the device is already decided, or the code has expired.
   */
  readDevice(
    browser: HttpRequest,
    userCode: string,
  ): Promise<
    | {
        readonly ok: true
        readonly client: { readonly id: string; readonly name: string; readonly kind: 'web' | 'native' }
        readonly scopes: readonly string[]
        readonly newScopes: readonly string[]
        readonly token: string
      }
    | { readonly ok: false; readonly reason: 'signed-out' | 'unknown' | 'token' | 'over' }
    | { readonly ok: false; readonly reason: 'throttled'; readonly retryAfterSeconds: number }
  >
  decideDevice(
    browser: HttpRequest,
    decision: { readonly userCode: string; readonly token: string | null; readonly decision: 'allow' | 'deny' },
  ): Promise<
    | { readonly ok: true }
    | { readonly ok: false; readonly reason: 'signed-out' | 'unknown' | 'token' | 'over' }
    | { readonly ok: false; readonly reason: 'throttled'; readonly retryAfterSeconds: number }
  >
  listGrants(accountId: string): Promise<readonly Inline<ClientConsent>[]>
  revokeGrant(accountId: string, grantId: string, request?: HttpRequest): Promise<boolean>
  /** Returns sessions that revoke the tokens of clients before themselves. */
  bindSessions(sessions: Sessions): Sessions
  listOrigins(): Promise<readonly string[]>
  readAccessToken(
    request: Pick<HttpRequest, 'method' | 'target' | 'headers'>,
    options: { readonly resource: string },
  ): Promise<
    | {
        readonly ok: true
        readonly token: {
          readonly clientId: string
          readonly keyBinding: string | null
          readonly expiresAt: number
          readonly claims: VerifiedClaims
        }
        readonly firstParty: boolean
      }
    | {
        readonly ok: false
        readonly reason: 'missing' | 'malformed' | 'token' | 'scheme' | 'proof' | 'nonce'
        readonly challenges: readonly string[]
        /** The value of `DPoP-Nonce` for the response. */
        readonly nonce: string | null
      }
  >
  /** Whether the session and the consent of a token continue, of an expired one with `mayBeExpired`. It needs no further proof. */
  isAlive(claims: VerifiedClaims, options?: { readonly mayBeExpired?: boolean }): Promise<boolean>
  /** Resolves when no client is being told of the end of a session. */
  settled(): Promise<void>
}

export type WaitingAuthorization = NonNullable<Awaited<ReturnType<ServiceAuthorizationServer['readRequest']>>>
export type DeviceVerdict = Awaited<ReturnType<ServiceAuthorizationServer['readDevice']>>

interface Options {
  readonly oauth?: (parts: AuthorizationParts) => ServiceAuthorizationServer
}

/** @throws TypeError that names what an authorization server lacks. */
export function checkAuthorizationServer({ oauth }: Options): void {
  if (oauth === undefined) return
  if (typeof oauth !== 'function') throw new TypeError('"oauth" must be a function that creates it, or omitted')
}
