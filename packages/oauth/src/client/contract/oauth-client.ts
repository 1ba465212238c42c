/**
 * Signs users in with a provider. Verdicts are values. If the provider makes no verdict possible, calls reject with an
 * `OAuthError` of `OAUTH_PROVIDER_UNAVAILABLE`, `OAUTH_PROVIDER_INVALID` or `OAUTH_CLIENT_REJECTED`: respond with 503.
 */
export interface OAuthClient {
  /** The name of the provider. */
  readonly provider: string
  /**
   * The issuer of the provider's identities. Identities of a provider with many issuers, for example Microsoft for all
   * directories, have their own `issuer`.
   */
  readonly issuer: string
  /** The registered redirect URI. */
  readonly redirectUri: string
  /**
   * Starts a sign-in: redirect to `url` with status 303 and send `cookie` as `Set-Cookie`. The cookie seals verifier,
   * state and nonce of this sign-in and expires after ten minutes.
   *
   * @throws OAuthError `OAUTH_RETURN_TO_INVALID` if `returnTo` is no path of this site.
   * @throws TypeError if `maxAgeSeconds` is no whole number, or `binding` has another format.
   */
  begin(input?: {
    /** The user's path after the sign-in: a path of this site of up to 1024 characters. @default '/' */
    readonly returnTo?: string
    /**
     * The browser's `Cookie` header. A browser has five places for sign-ins. With the header, a sign-in takes a free place, or
     * replaces the oldest sign-in. Without it, a sign-in takes a random place, and can replace a sign-in that is still open.
     *
     * @default null
     */
    readonly cookieHeader?: string | null
    /** A hint for the provider's page, for example the user's email address. */
    readonly loginHint?: string
    /** The prompt of the provider's page (OpenID Connect Core §3.1.2.1). @default the provider decides */
    readonly prompt?: 'login' | 'consent' | 'select_account' | 'none'
    /** The maximum age of the user's sign-in at the provider. A sign-in that is older or has no time is refused. */
    readonly maxAgeSeconds?: number
    /**
     * A value that `finish` returns, for example the key of the current session, to compare there: 1 to 96 letters,
     * digits and any of `-._~:`. It is sealed in the cookie.
     *
     * @default null
     */
    readonly binding?: string | null
    /** The requested `acr` values. Check the `acr` claim afterwards: the provider may ignore the request. */
    readonly acrValues?: readonly string[]
  }): Promise<{ readonly url: string; readonly cookie: string }>
  /**
   * Verifies the callback of a provider: state, issuer, code, id token. A callback signs in at most once across all
   * processes. A refused callback signs in no user. Send the verdict's `cookie` with the response.
   *
   * @param url the request's URL, absolute or from the path on.
   * @param cookieHeader the request's `Cookie` header.
   */
  finish(url: string | URL, cookieHeader: string | null): Promise<CallbackVerdict>
  /**
   * Stores for a minute an answer that Apple posted to the redirect URI: redirect to `location` with status 303, where
   * `finish` continues. The post alone signs in no user, because browsers send no cookie with a cross-site POST.
   *
   * @param form the body, `application/x-www-form-urlencoded`.
   */
  receivePost(
    form: string,
  ): Promise<
    { readonly ok: true; readonly location: string } | { readonly ok: false; readonly reason: 'malformed' | 'state' }
  >
  /**
   * Exchanges a refresh token for new tokens. Concurrent calls with the same token send a single request. `refused`:
   * the user has to sign in again.
   *
   * @param input the user of the callback: a new id token must name the same user.
   */
  refresh(
    refreshToken: string,
    input: { readonly issuer: string; readonly subject: string },
  ): Promise<
    | {
        readonly ok: true
        /** `refreshToken` replaces the presented token; `null`: the presented token stays valid. */
        readonly tokens: TokenSet
        /** The claims of a new id token. */
        readonly claims: Readonly<Record<string, unknown>> | null
      }
    | { readonly ok: false; readonly reason: 'refused' }
    | Pick<Extract<CallbackVerdict, { readonly reason: 'id-token' }>, 'ok' | 'reason' | 'detail'>
  >
  /**
   * Returns the current claims of a user. `token`: the access token was refused. `subject`: the claims name another
   * user.
   */
  userinfo(
    accessToken: string,
    input: { readonly subject: string },
  ): Promise<
    | { readonly ok: true; readonly claims: Readonly<Record<string, unknown>> }
    | { readonly ok: false; readonly reason: 'token' | 'subject' }
  >
  /** Revokes a refresh token or an access token (RFC 7009). `false`: the provider has no revocation endpoint. */
  revoke(token: string): Promise<boolean>
  /** Returns the provider's logout URL; `null`: the provider offers no logout. */
  logoutUrl(input?: {
    /** The id token of the sign-in. Without it, the provider asks the user to confirm. */
    readonly idToken?: string | null
    /** The registered URI that the provider redirects to after the logout. */
    readonly postLogoutRedirectUri?: string
    /** Returned in the redirect. */
    readonly state?: string
  }): Promise<string | null>
  /**
   * Verifies a logout token that a provider posted (`logout_token`). Accepted: revoke the named sessions and respond
   * with 200. Refused: respond with 400. Each token is accepted once.
   *
   * @param end revokes the sessions before the token is used up (OpenID Connect Back-Channel Logout 1.0 §2.6). Its
   * errors are rethrown, and the provider can send the token again. Omitted: the token is used up first, and a later
   * failure is final.
   */
  verifyLogoutToken(
    token: string | null,
    end?: (logout: Extract<LogoutVerdict, { readonly ok: true }>) => Promise<unknown>,
  ): Promise<LogoutVerdict>
}

/** The verdict on a callback. `cookie`: the `Set-Cookie` line that removes the transaction's cookie. */
export type CallbackVerdict =
  | {
      readonly ok: true
      /** The name of the provider. */
      readonly provider: string
      readonly issuer: string
      readonly subject: string
      /** All claims about the user. */
      readonly claims: Readonly<Record<string, unknown>>
      readonly email: string | null
      /** Whether the provider has verified that the address belongs to the user. */
      readonly emailVerified: boolean
      /** The authentication methods at the provider (RFC 8176). Use them only if you trust the provider with this. */
      readonly amr: readonly string[]
      /** The session at the provider, which a logout token names. */
      readonly sid: string | null
      /** The time of the sign-in at the provider, in epoch milliseconds; `null`: not stated. */
      readonly authenticatedAt: number | null
      readonly tokens: TokenSet
      /** The `returnTo` of `begin`. */
      readonly returnTo: string
      /** The `binding` of `begin`; `null`: omitted. */
      readonly binding: string | null
      readonly cookie: string
    }
  | {
      readonly ok: false
      readonly reason: /** A repeated parameter, both or neither of code and error, or a token. */
        | 'malformed'
        /** The browser has no open sign-in with this state at this provider and client. */
        | 'state'
        /** The path differs from the path of `redirectUri`. */
        | 'redirect-uri'
        /** The sign-in took longer than ten minutes. */
        | 'expired'
        /** The callback was used before. */
        | 'used'
        /** The answer names another provider, or no provider although RFC 9207 requires it. */
        | 'issuer'
        /** An error code of RFC 6749 §4.1.2.1 or OpenID Connect Core §3.1.2.6. */
        | 'access_denied'
        | 'invalid_request'
        | 'unauthorized_client'
        | 'unsupported_response_type'
        | 'invalid_scope'
        | 'server_error'
        | 'temporarily_unavailable'
        | 'interaction_required'
        | 'login_required'
        | 'account_selection_required'
        | 'consent_required'
        /** Another error code of the provider. */
        | 'refused'
        /** The token endpoint refused the code: another client's, expired, or used. */
        | 'code'
        /** Userinfo names another user, or no user. */
        | 'user'
      readonly returnTo: string | null
      readonly cookie: string | null
    }
  | {
      readonly ok: false
      /** The id token is not valid (OpenID Connect Core §3.1.3.7). */
      readonly reason: 'id-token'
      readonly detail: /** No compact token, one with `crit` or `b64`, or a token that is far too long. */
        | 'malformed'
        /** Another `typ`. */
        | 'type'
        /** `none`, a symmetric algorithm, or another algorithm that is not accepted. */
        | 'algorithm'
        /** The provider publishes no such key, or several of them and the token does not say which. */
        | 'key'
        | 'signature'
        /** The response has no id token. */
        | 'missing'
        /** A claim is missing, or has another type. */
        | 'claims'
        | 'issuer'
        | 'audience'
        /** `azp` names another client. With several audiences and no `azp`, the reason is `audience`. */
        | 'authorized-party'
        | 'expired'
        | 'not-yet-valid'
        | 'nonce'
        | 'subject'
        /** `at_hash` belongs to another access token. */
        | 'access-token-hash'
        /** The sign-in at the provider is older than `maxAgeSeconds`, or in the future. */
        | 'auth-time'
      readonly returnTo: string | null
      readonly cookie: string | null
    }

/** The verdict on a logout token (OpenID Connect Back-Channel Logout §2.6). */
export type LogoutVerdict =
  /** Revoke the sessions of `sid`; if it is `null`, all sessions of `subject`. At least one of the two is set. */
  | {
      readonly ok: true
      readonly provider: string
      readonly issuer: string
      readonly subject: string | null
      readonly sid: string | null
    }
  | {
      readonly ok: false
      readonly reason: /** No compact token, one with `crit` or `b64`, or a token that is far too long. */
        | 'malformed'
        /** Another `typ`. */
        | 'type'
        /** `none`, a symmetric algorithm, or another algorithm that is not accepted. */
        | 'algorithm'
        /** The provider publishes no such key, or several of them and the token does not say which. */
        | 'key'
        | 'signature'
        | 'issuer'
        | 'audience'
        | 'expired'
        | 'not-yet-valid'
        /** `iat`, `exp`, `jti` or both of `sub` and `sid` are missing, or have another type. */
        | 'claims'
        /** The claim of a logout event is missing. */
        | 'event'
        /** The token has a `nonce`, as only id tokens do. */
        | 'nonce'
        /** The `jti` was used before. */
        | 'used'
    }

/** The tokens that a provider issued to this client. */
export interface TokenSet {
  /** Authorizes calls to the provider's APIs. A secret. */
  readonly accessToken: string
  /** The expiry of the access token, in epoch milliseconds; `null`: not stated. */
  readonly expiresAt: number | null
  /** Obtains new tokens. A secret; `null`: the provider issued no refresh token, or the presented token stays valid. */
  readonly refreshToken: string | null
  /** An input of `logoutUrl`; `null`: the provider issued no id token. */
  readonly idToken: string | null
  /** The granted scopes; `null`: the requested scopes were granted. */
  readonly scopes: readonly string[] | null
}
