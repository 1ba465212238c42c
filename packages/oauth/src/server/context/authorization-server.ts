import type { HttpHandler, HttpRequest } from '@latchkey/http'
import type { VerifiedClaims } from '@latchkey/jwt'
import type { RefreshFamily, Sessions } from '@latchkey/sessions'
import type { AccessToken } from '../../resource/access-token.ts'
import type { AccessTokenVerdict } from '../../resource/presented-token.ts'
import type { RegisteredClient } from '../clients/registered-client.ts'

/** An authorization server as a handler. Mount it at its paths. */
export interface AuthorizationServer extends HttpHandler {
  /** The paths of all endpoints. */
  readonly paths: readonly string[]
  /** All scopes that clients can request. */
  readonly scopes: readonly string[]
  /** The ids of the clients that are written in code. */
  readonly fixedClientIds: readonly string[]
  /**
   * Returns a waiting request for the pages of sign-in and consent; `null`: the request was answered, has expired, or belongs to
   * another browser.
   *
   * @param browser the request for the page.
   * @param handle the parameter `handle` of the page.
   */
  readRequest(
    browser: HttpRequest,
    handle: string | null,
  ): Promise<{
    readonly client: Pick<RegisteredClient, 'id' | 'name' | 'kind'>
    /** The host of an unregistered client's `client_id`; `null`: the client is registered. */
    readonly clientHost: string | null
    readonly scopes: readonly string[]
    /** The scopes that the account has not allowed the client before. */
    readonly newScopes: readonly string[]
    /** The host of the redirect, or the scheme of an application, for the page. */
    readonly redirectTarget: string
    /** The source for `form-action`, in addition to `'self'`: browsers apply it to the redirect after the form. */
    readonly formTarget: string
    /** Whether the redirect leads to a port of the user's computer, which any program there could take. */
    readonly isAnsweredHere: boolean
    readonly loginHint: string | null
    /** The requested classes of sign-in, the preferred class first. */
    readonly acrValues: readonly string[]
    /**
     * The next step of the user; `null`: no step is left before the decision. `second-factor` is optional: the user can allow the
     * request without it.
     */
    readonly needs: 'sign-in' | 'second-factor' | null
    /** The id of the signed-in account; `null`: the user must sign in before the decision. */
    readonly subject: string | null
    /** Post it with the decision: it binds the form to session and request. `null`: the user is not signed in. */
    readonly token: string | null
  } | null>
  /**
   * Answers a waiting request with the user's decision on the consent page. Of several calls only one succeeds.
   *
   * @param browser the request that posts the form.
   */
  decide(
    browser: HttpRequest,
    decision: {
      readonly handle: string
      /** The `token` of `readRequest`. */
      readonly token: string | null
      readonly decision: 'allow' | 'deny'
    },
  ): Promise<
    /** Redirect with status 303: to the client, or to this server if the user must sign in again. */
    | { readonly ok: true; readonly location: string }
    /**
     * - `unknown`: the request was answered, has expired, or belongs to another browser.
     * - `signed-out`: the browser has no session.
     * - `token`: the form belongs to another session or another request.
     */
    | { readonly ok: false; readonly reason: 'unknown' | 'signed-out' | 'token' }
  >
  /**
   * Returns the device of a code that a user entered. Case, dashes and spaces are ignored. `userCodeLimit` limits wrong codes.
   *
   * @param browser the request that posts the code.
   */
  readDevice(
    browser: HttpRequest,
    userCode: string,
  ): Promise<
    | {
        readonly ok: true
        readonly client: Pick<RegisteredClient, 'id' | 'name' | 'kind'>
        readonly scopes: readonly string[]
        /** The scopes that the account has not allowed the client before. */
        readonly newScopes: readonly string[]
        /** Post it with the decision: it binds the form to session and device. */
        readonly token: string
      }
    | {
        readonly ok: false
        /**
         * - `signed-out`: the browser has no session. The code was not looked up.
         * - `unknown`: no device waits with this code: it is mistyped, expired or answered. It counts as a wrong code.
         * - `throttled`: too many wrong codes from this address or account. The code was not looked up.
         * - `token`: the form belongs to another session or another device.
         * - `over`: the form belongs to this session, but its device was answered or its code has expired. It does not count.
         */
        readonly reason: 'signed-out' | 'unknown' | 'token' | 'over'
      }
    | { readonly ok: false; readonly reason: 'throttled'; readonly retryAfterSeconds: number }
  >
  /** Answers a device with the user's decision. Of several calls only one succeeds. */
  decideDevice(
    browser: HttpRequest,
    decision: {
      readonly userCode: string
      /** The `token` of `readDevice`. */
      readonly token: string | null
      readonly decision: 'allow' | 'deny'
    },
  ): Promise<
    { readonly ok: true } | Extract<Awaited<ReturnType<AuthorizationServer['readDevice']>>, { readonly ok: false }>
  >
  /** Returns the consents of an account, with the names of the clients. */
  listGrants(accountId: string): Promise<
    readonly {
      readonly id: string
      readonly accountId: string
      readonly clientId: string
      readonly clientName: string
      /** The host of an unregistered client's `client_id`; `null`: the client is registered. */
      readonly clientHost: string | null
      /** The host or scheme of the redirect at the latest consent; `null`: the client is registered. */
      readonly redirectTarget: string | null
      readonly scopes: readonly string[]
      /** The time of the first consent, in epoch milliseconds. */
      readonly givenAt: number
      /** The time of the latest change, in epoch milliseconds. */
      readonly changedAt: number
    }[]
  >
  /**
   * Withdraws the consent of an account to a client, and revokes its tokens. Returns `true` to exactly one caller.
   *
   * @param request the request that withdraws the consent, for `aroundGrantChange`. Omitted: there is none.
   */
  revokeGrant(accountId: string, grantId: string, request?: HttpRequest): Promise<boolean>
  /**
   * Returns sessions of `@latchkey/sessions` that call `endSession`, `renewSession` and `notifySessionsEnded` in time: tokens are
   * revoked before their session, so that a call that failed can be repeated. Pass them to `createAccounts`, and call none of
   * the four following methods yourself. `signedIn` must return the `lineage`. `revokeAll` notifies clients only: raise the epoch
   * of the account first, which revokes their tokens.
   *
   * @example
   * import type { AuthorizationServer } from '@latchkey/oauth/server'
   * import { createSessions } from '@latchkey/sessions'
   * import { createMemoryRecordStore } from '@latchkey/store'
   * declare const server: AuthorizationServer
   * const sessions = server.bindSessions(createSessions({ records: createMemoryRecordStore() }))
   */
  bindSessions(sessions: Sessions): Sessions
  /**
   * Revokes the codes and tokens of a browser's session, except those with `offline_access`, also if their requests are still
   * running. Notifies its clients with a `backchannelLogoutUri`. Call it whenever a session is revoked, except at
   * `/end-session`.
   *
   * @param sessionKey the `lineage` of `signedIn`; if omitted there, its `key`.
   */
  endSession(accountId: string, sessionKey: string): Promise<void>
  /**
   * Remembers the clients of a session for `sessionSeconds` again. Call it before a session is renewed under the same `lineage`, for
   * example by a second sign-in of the same account. Otherwise a client is not notified of an end that comes later than
   * `sessionSeconds` after its last code.
   *
   * @param sessionKey the `lineage` of `signedIn`; if omitted there, its `key`.
   */
  renewSession(accountId: string, sessionKey: string): Promise<void>
  /**
   * Notifies clients that all sessions of an account were revoked. Call it after you raise the account's epoch. Returns before
   * the clients are notified; a failure is an event `logout.failed`.
   *
   * @param options `except`: the `sessionKey` of a session that stays valid.
   */
  notifySessionsEnded(accountId: string, options?: { readonly except?: string }): void
  /**
   * Returns whether `endSession` was called for a session within the last eleven minutes, also if the call failed after it marked
   * the session. Such a session gets no more codes and tokens. After the next sign-in the session must have another `lineage`.
   */
  isSessionEnded(sessionKey: string): Promise<boolean>
  /**
   * Returns the origins whose pages may call a resource with an access token and without cookies: the origins of public web
   * clients, and `corsOrigins`. A change of clients applies within a minute.
   */
  listOrigins(): Promise<readonly string[]>
  /**
   * Returns the access token of a request to a resource of this server, if the token, its client, family and consent are still
   * valid. The scheme is `Bearer`, or `DPoP` with a proof for this request, which can be used once. Rejects if a store does not
   * answer.
   */
  readAccessToken(
    request: Pick<HttpRequest, 'method' | 'target' | 'headers'>,
    options?: {
      /** The required audience of the token. Omitted: any resource of the server. */
      readonly resource?: string
      /** An additional parameter of each challenge, for example `resource_metadata="…"` (RFC 9728 §5.1). */
      readonly challengeParameter?: string
    },
  ): Promise<
    | {
        readonly ok: true
        readonly token: AccessToken
        /** The family of the token; `null`: the token is of the grant `client_credentials`. */
        readonly family: RefreshFamily | null
        /** Whether the client has `firstParty`, and the token is bound to a key. */
        readonly firstParty: boolean
      }
    | Extract<AccessTokenVerdict, { readonly ok: false }>
  >
  /**
   * Returns whether a token that `readAccessToken` accepted is still valid, for open connections, which send no further proof.
   * Rejects if a store does not answer.
   *
   * @param claims the claims of the token.
   */
  isAlive(
    claims: VerifiedClaims,
    options?: {
      /**
       * Accepts an expired token, because its client can get a new one.
       * @default false
       */
      readonly mayBeExpired?: boolean
    },
  ): Promise<boolean>
  /** Resolves when all running notifications of clients are done, for shutdown and tests. */
  settled(): Promise<void>
}
