import type { HttpHandler, HttpRequest } from '@latchkey/http'
import type { VerifiedClaims } from '@latchkey/jwt'
import type { RefreshFamily } from '@latchkey/sessions'
import type { AccessToken } from '../../resource/access-token.ts'
import type { AccessTokenVerdict } from '../../resource/presented-token.ts'
import type { RegisteredClient } from '../clients/registered-client.ts'

/** An authorization server as one handler: mount it at its paths. */
export interface AuthorizationServer extends HttpHandler {
  /** Every path that it answers. */
  readonly paths: readonly string[]
  /** Every scope that clients may ask for. */
  readonly scopes: readonly string[]
  /** The ids of the clients that are written in code. */
  readonly fixedClientIds: readonly string[]
  /**
   * Returns a request that waits for its user, for the pages of sign-in and consent, or `null`: it was answered, has expired,
   * or waits in another browser.
   *
   * @param browser the request for the page. @param handle the parameter of that name, which the page was opened with.
   */
  readRequest(
    browser: HttpRequest,
    handle: string | null,
  ): Promise<{
    readonly client: Pick<RegisteredClient, 'id' | 'name' | 'kind'>
    /** The host of its `client_id`, which is a URL: nobody registered it. `null`: it is registered. */
    readonly clientHost: string | null
    readonly scopes: readonly string[]
    /** Those that the account has not allowed the client before. */
    readonly newScopes: readonly string[]
    /** Where the answer goes, for people: a host, or the scheme of an application. */
    readonly redirectTarget: string
    /** What `form-action` must name beside `'self'`: browsers apply it to the redirect that follows a form. */
    readonly formTarget: string
    /** Whether the answer goes to a port of the computer of the user, which any program there could take. */
    readonly isAnsweredHere: boolean
    readonly loginHint: string | null
    /** The classes of sign-in that the client wishes for, the preferred one first. */
    readonly acrValues: readonly string[]
    /**
     * What the user is still asked before the request can be allowed. `second-factor` is a wish of the client: the request goes
     * on without it, too.
     */
    readonly needs: 'sign-in' | 'second-factor' | null
    /** Who is signed in; `null`: no one is, so there is nothing to decide yet. */
    readonly subject: string | null
    /** To be posted with the decision: it binds the form to session and request. `null`: as above. */
    readonly token: string | null
  } | null>
  /**
   * Answers a request that waits by what its user has decided on the consent page: for exactly one caller.
   *
   * @param browser the request that posts the form.
   */
  decide(
    browser: HttpRequest,
    decision: {
      readonly handle: string
      /** The one of `readRequest`. */
      readonly token: string | null
      readonly decision: 'allow' | 'deny'
    },
  ): Promise<
    /** Answer 303 with this location: of the client, or of this server where something is still to be asked. */
    | { readonly ok: true; readonly location: string }
    /**
     * - `unknown`: no request that waits in this browser: it was answered, has expired, or is another browser's.
     * - `signed-out`: no session.
     * - `token`: the form was made for another session or another request.
     */
    | { readonly ok: false; readonly reason: 'unknown' | 'signed-out' | 'token' }
  >
  /**
   * Returns the device whose code a user has entered, in any case, with or without dashes and spaces. Who tries codes is throttled by
   * `userCodeLimit`.
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
        /** Those that the account has not allowed the client before. */
        readonly newScopes: readonly string[]
        /** To be posted with the decision: it binds the form to session and device. */
        readonly token: string
      }
    | {
        readonly ok: false
        /**
         * - `signed-out`: no session, and nothing was looked up.
         * - `unknown`: no device waits with this code: mistyped, expired or answered. It counts.
         * - `throttled`: too many codes of this address or this account were wrong; nothing was looked up.
         * - `token`: the form was made for another session or another device.
         * - `over`: the form is this session's own, and its device waits no more: it was answered, or its code has expired. It does not
         *   count.
         */
        readonly reason: 'signed-out' | 'unknown' | 'token' | 'over'
      }
    | { readonly ok: false; readonly reason: 'throttled'; readonly retryAfterSeconds: number }
  >
  /** Answers a device by what its user has decided: for exactly one caller. */
  decideDevice(
    browser: HttpRequest,
    decision: {
      readonly userCode: string
      /** The one of `readDevice`. */
      readonly token: string | null
      readonly decision: 'allow' | 'deny'
    },
  ): Promise<
    { readonly ok: true } | Extract<Awaited<ReturnType<AuthorizationServer['readDevice']>>, { readonly ok: false }>
  >
  /** Returns what an account has allowed clients, with what these are called. */
  listGrants(accountId: string): Promise<
    readonly {
      readonly id: string
      readonly accountId: string
      readonly clientId: string
      readonly clientName: string
      /** The host of its `client_id`, which is a URL: nobody registered it. `null`: it is registered. */
      readonly clientHost: string | null
      /** The host of the redirect, or its scheme, at the latest consent; `null`: the client is registered. */
      readonly redirectTarget: string | null
      readonly scopes: readonly string[]
      /** Epoch milliseconds, as `changedAt`. */
      readonly givenAt: number
      readonly changedAt: number
    }[]
  >
  /**
   * Withdraws what an account has allowed a client, and all that was given by it; `true` for exactly one caller.
   *
   * @param request by which it is withdrawn. Omitted: by none.
   */
  revokeGrant(accountId: string, grantId: string, request?: HttpRequest): Promise<boolean>
  /**
   * Ends what was given out of a session of a browser without `offline_access`: codes, also those that are on their way, and
   * access tokens. Its clients that have a `backchannelLogoutUri` are told. Call it whenever a session ends in another way than
   * at `/end-session`.
   *
   * @param sessionKey the `lineage` of `signedIn`, or where it has none its `key`.
   */
  endSession(accountId: string, sessionKey: string): Promise<void>
  /**
   * Notifies clients that the sessions of an account have ended: call it when they end all at once, once its epoch is raised.
   * Returns at once, as `endSession` does not wait for that: what fails is an event `logout.failed`.
   *
   * @param options `except`: the name of the session that goes on, as `endSession` has it.
   */
  notifySessionsEnded(accountId: string, options?: { readonly except?: string }): void
  /**
   * Returns whether `endSession` was called for a session within the last eleven minutes, also where it has failed on the way. Nothing
   * more is given out of it: when its account signs in again, the session must have another `lineage`.
   */
  isSessionEnded(sessionKey: string): Promise<boolean>
  /**
   * Returns the origins whose pages may call a resource with an access token and without cookies: those of public web
   * clients, and `corsOrigins`. A change of clients shows within a minute.
   */
  listOrigins(): Promise<readonly string[]>
  /**
   * Returns the access token that a request to a resource of this server presents, while all goes on that it was given for.
   * It is `Bearer`, or `DPoP` with a proof for this request, which is used up. Rejects when there is no verdict, because a
   * store does not answer.
   */
  readAccessToken(
    request: Pick<HttpRequest, 'method' | 'target' | 'headers'>,
    options?: {
      /** The resource that the token must be for; omitted: any of the server. */
      readonly resource?: string
      /** A further parameter of each challenge, such as `resource_metadata="…"` (RFC 9728 §5.1). */
      readonly challengeParameter?: string
    },
  ): Promise<
    | {
        readonly ok: true
        readonly token: AccessToken
        /** `null`: a client was given it for itself. */
        readonly family: RefreshFamily | null
        /** Whether it is of a client with `firstParty`, and bound to a key. */
        readonly firstParty: boolean
      }
    | Extract<AccessTokenVerdict, { readonly ok: false }>
  >
  /**
   * Whether a token that `readAccessToken` has accepted goes on: for connections that stay open, which show no further proof.
   * Rejects as that does.
   *
   * @param claims those of the token.
   */
  isAlive(
    claims: VerifiedClaims,
    options?: {
      /**
       * Also where the token has expired: its client can ask for another one.
       * @default false
       */
      readonly mayBeExpired?: boolean
    },
  ): Promise<boolean>
  /** Resolves when no client is being told of the end of a session, for shutdown and tests. */
  settled(): Promise<void>
}
