import type { SecretKeys } from '@latchkey/bytes'
import type { allowPlainHttpOnLoopback, HttpHandler, HttpReply, HttpRequest } from '@latchkey/http'
import type { KeyRing, VerifiedClaims } from '@latchkey/jwt'
import type { RateLimit } from '@latchkey/rate-limit'
import type { RefreshTokens } from '@latchkey/sessions'
import type { DocumentStore, FactorProof, RecordStore, StoredRecord } from '@latchkey/store'
import type { AuthorizationEvent } from '../observe/authorization-event.ts'

/** Who is signed in in a browser. */
export interface SignedInBrowser {
  readonly subject: string
  /** The public name of the session. */
  readonly key: string
  /** What names it through every renewal. */
  readonly lineage: string
  readonly epoch: number
  readonly factors: readonly FactorProof[]
}

/** What cannot go back to a client. */
export interface AuthorizationErrorPage {
  readonly status: number
  readonly error: string
  /** The rule that was broken: a sentence without anything that was sent. */
  readonly description: string
}

/** What the page of logout shows: a form that posts `fields` to `action`, or that all is done. */
export type AuthorizationLogoutPage =
  | {
      readonly step: 'ask'
      readonly action: string
      readonly fields: Readonly<Record<string, string>>
      readonly clientName: string | null
      readonly formTargets: readonly string[]
    }
  | { readonly step: 'done' }

/** What `oauth` is called with: the options of `createAuthorizationServer` of `@latchkey/oauth/server`. */
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
      readonly grantId: string
    },
    make: () => Promise<boolean>,
    request?: HttpRequest,
  ) => Promise<void>
  readonly secrets: SecretKeys
  /** A ring of its own, beside that of the service's tokens: its keys are published. */
  readonly keys: KeyRing
  readonly refreshTokens: RefreshTokens
  /** The GraphQL endpoint. */
  readonly resources: readonly [string]
  /** The permissions of the policy, and its groups of them. */
  readonly scopes: readonly string[]
  readonly claims: (
    subject: string,
  ) => Promise<{ readonly name: string; readonly email: string; readonly email_verified: boolean } | null>
  readonly signedIn: (request: HttpRequest) => Promise<SignedInBrowser | null>
  readonly accountState: (subject: string) => Promise<{ readonly epoch: number } | null>
  /** Reads a family of tokens and its account in one statement. Omitted: the stores cannot. */
  readonly readFamily?: (
    key: string,
  ) => Promise<{ readonly record: StoredRecord; readonly account: { readonly epoch: number } | null } | null>
  readonly pages: { readonly signIn: string; readonly consent: string; readonly device: string }
  readonly errorPage?: (error: AuthorizationErrorPage, request: HttpRequest) => HttpReply
  readonly logoutPage?: (page: AuthorizationLogoutPage, request: HttpRequest) => HttpReply
  readonly signOut: (
    request: HttpRequest,
    session: Pick<SignedInBrowser, 'subject' | 'key'>,
  ) => Promise<HttpReply['headers']>
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
  readonly onEvent: (event: AuthorizationEvent) => void
}

/** The pages by which people answer clients. */
export type AuthorizationPages = Pick<AuthorizationParts, 'pages' | 'errorPage' | 'logoutPage'>

/** A client, as people are shown it. */
export interface PresentedClient {
  readonly id: string
  readonly name: string
  readonly kind: 'web' | 'native'
}

/** An authorization request that waits for its user. */
export interface WaitingAuthorization {
  readonly client: PresentedClient
  readonly scopes: readonly string[]
  /** Those that the account has not allowed the client before. */
  readonly newScopes: readonly string[]
  /** Where the answer goes, for people. */
  readonly redirectTarget: string
  /** What `form-action` must name beside `'self'`. */
  readonly formTarget: string
  readonly loginHint: string | null
  /** The classes of sign-in that the client wishes for. */
  readonly acrValues: readonly string[]
  /** What the user is still asked; the request goes on without a second factor, too. */
  readonly needs: 'sign-in' | 'second-factor' | null
  /** Who is signed in, or `null`. */
  readonly subject: string | null
  readonly token: string | null
}

/** The verdict on what a user has decided on the page of consent. */
export type AuthorizationDecided =
  | { readonly ok: true; readonly location: string }
  | { readonly ok: false; readonly reason: 'unknown' | 'signed-out' | 'token' }

/** Why the code of a device was refused; `over`: the device of this form was answered, or its code has expired. */
export type DeviceRefused =
  | { readonly ok: false; readonly reason: 'signed-out' | 'unknown' | 'token' | 'over' }
  | { readonly ok: false; readonly reason: 'throttled'; readonly retryAfterSeconds: number }

/** A device whose user has entered its code. */
export interface WaitingDevice {
  readonly ok: true
  readonly client: PresentedClient
  readonly scopes: readonly string[]
  readonly newScopes: readonly string[]
  readonly token: string
}

/** What an account has allowed a client. */
export interface ClientConsent {
  readonly id: string
  readonly clientId: string
  /** What people know it by. */
  readonly clientName: string
  readonly scopes: readonly string[]
  /** Epoch milliseconds. */
  readonly givenAt: number
}

/** A verified access token of a client. */
export interface ClientToken {
  readonly clientId: string
  readonly keyBinding: string | null
  readonly expiresAt: number
  readonly claims: VerifiedClaims
}

/** The verdict on the access token that a request presents. */
export type PresentedClientToken =
  | { readonly ok: true; readonly token: ClientToken }
  | {
      readonly ok: false
      readonly reason: 'missing' | 'malformed' | 'token' | 'scheme' | 'proof'
      readonly challenges: readonly string[]
    }

/** An authorization server as a service needs it: that of `createAuthorizationServer` of `@latchkey/oauth/server` is one. */
export interface ServiceAuthorizationServer extends Pick<HttpHandler, 'handle'> {
  readonly paths: readonly string[]
  readonly scopes: readonly string[]
  readonly fixedClientIds: readonly string[]
  readRequest(browser: HttpRequest, handle: string | null): Promise<WaitingAuthorization | null>
  decide(
    browser: HttpRequest,
    decision: { readonly handle: string; readonly token: string | null; readonly decision: 'allow' | 'deny' },
  ): Promise<AuthorizationDecided>
  readDevice(browser: HttpRequest, userCode: string): Promise<WaitingDevice | DeviceRefused>
  decideDevice(
    browser: HttpRequest,
    decision: { readonly userCode: string; readonly token: string | null; readonly decision: 'allow' | 'deny' },
  ): Promise<{ readonly ok: true } | DeviceRefused>
  listGrants(accountId: string): Promise<readonly ClientConsent[]>
  revokeGrant(accountId: string, grantId: string, request?: HttpRequest): Promise<boolean>
  endSession(accountId: string, sessionKey: string): Promise<void>
  /** Notifies clients that the sessions of an account have ended, but for one of them. Returns at once. */
  notifySessionsEnded(accountId: string, options?: { readonly except?: string }): void
  isSessionEnded(sessionKey: string): Promise<boolean>
  listOrigins(): Promise<readonly string[]>
  readAccessToken(
    request: Pick<HttpRequest, 'method' | 'target' | 'headers'>,
    options: { readonly resource: string },
  ): Promise<PresentedClientToken>
  /** Whether all still goes on that a token was given for. It needs no further proof. */
  isAlive(claims: VerifiedClaims): Promise<boolean>
  /** Resolves when no client is being told of the end of a session. */
  settled(): Promise<void>
}

interface Options {
  readonly oauth?: (parts: AuthorizationParts) => ServiceAuthorizationServer
}

/** @throws TypeError that names what an authorization server lacks. */
export function checkAuthorizationServer({ oauth }: Options): void {
  if (oauth === undefined) return
  if (typeof oauth !== 'function') throw new TypeError('"oauth" must be a function that creates it, or omitted')
}
