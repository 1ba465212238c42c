/**
 * Signs users in with a provider. A verdict is a value; where the provider makes none possible, calls reject with an
 * `OAuthError` of `OAUTH_PROVIDER_UNAVAILABLE`, `OAUTH_PROVIDER_INVALID` or `OAUTH_CLIENT_REJECTED`: answer 503.
 */
export interface OAuthClient {
  /** The name of the provider. */
  readonly provider: string
  /** The `iss` of its identities. One that has many of them, such as Microsoft for all directories, has another one for each. */
  readonly issuer: string
  /** Where the provider sends browsers back to. */
  readonly redirectUri: string
  /**
   * Begins a sign-in: answer 303 to `url` with `cookie` as `Set-Cookie`. Verifier, state and nonce are sealed in that cookie, one
   * for each sign-in, and end after ten minutes.
   *
   * @throws OAuthError `OAUTH_RETURN_TO_INVALID` when `returnTo` is no path of this site; TypeError when `maxAgeSeconds` is no
   *   whole number, or `binding` cannot be used.
   */
  begin(input?: {
    /** Where the user goes afterwards: a path of this site of up to 1024 characters. @default '/' */
    readonly returnTo?: string
    /**
     * The header `Cookie` of the browser. With it, the oldest of more than five sign-ins is dropped; omitted: any of the five.
     * @default null
     */
    readonly cookieHeader?: string | null
    /** Who the user probably is, for the page of the provider. */
    readonly loginHint?: string
    /** `login`, `consent`, `select_account` or `none` (OpenID Connect Core §3.1.2.1). @default as the provider decides */
    readonly prompt?: 'login' | 'consent' | 'select_account' | 'none'
    /** How old the sign-in at the provider may be; an older one is refused, and one of a provider that does not say it. */
    readonly maxAgeSeconds?: number
    /**
     * What the callback shall belong to, such as the key of the session that is signed in: 1 to 96 letters, digits and any of
     * `-._~:`. They are sealed in the cookie, and the verdict has them again: compare them there.
     * @default null
     */
    readonly binding?: string | null
    /** What the provider shall ask for, as `acr` of the claims says it afterwards: look at that. */
    readonly acrValues?: readonly string[]
  }): Promise<{ readonly url: string; readonly cookie: string }>
  /**
   * Judges the callback of a provider: state, issuer, code, id token. One callback signs in at most once, however often and in
   * however many processes it is shown. What was refused has signed in no user; answer with the verdict's `cookie`.
   *
   * @param url the address of the request, whole or from the path on. @param cookieHeader its header `Cookie`.
   */
  finish(url: string | URL, cookieHeader: string | null): Promise<CallbackVerdict>
  /**
   * Keeps an answer that was posted to the redirect URI, as Apple does it, for a minute: answer 303 to `location`, which is for
   * `finish`. It signs no user in by itself, because a browser shows the cookie to no post of another site.
   *
   * @param form the body, `application/x-www-form-urlencoded`.
   */
  receivePost(
    form: string,
  ): Promise<
    { readonly ok: true; readonly location: string } | { readonly ok: false; readonly reason: 'malformed' | 'state' }
  >
  /**
   * Renews tokens. Calls at once with one refresh token are one request. `refused`: the user has to sign in again.
   *
   * @param input the user of the callback: an id token that comes with the tokens must be of the same user.
   */
  refresh(
    refreshToken: string,
    input: { readonly issuer: string; readonly subject: string },
  ): Promise<
    | {
        readonly ok: true
        /** `refreshToken` is the next one; `null`: the presented one stays. */
        readonly tokens: TokenSet
        /** The claims of a new id token. */
        readonly claims: Readonly<Record<string, unknown>> | null
      }
    | { readonly ok: false; readonly reason: 'refused' }
    | Pick<Extract<CallbackVerdict, { readonly reason: 'id-token' }>, 'ok' | 'reason' | 'detail'>
  >
  /** Returns the claims of a user now. `token`: the access token has ended. `subject`: it is of another user. */
  userinfo(
    accessToken: string,
    input: { readonly subject: string },
  ): Promise<
    | { readonly ok: true; readonly claims: Readonly<Record<string, unknown>> }
    | { readonly ok: false; readonly reason: 'token' | 'subject' }
  >
  /** Revokes a refresh token or an access token (RFC 7009). `false`: the provider has no way to do it. */
  revoke(token: string): Promise<boolean>
  /** Returns where a user signs out at the provider, or `null` where that is not possible. */
  logoutUrl(input?: {
    /** The id token of the sign-in: without it the provider asks the user. */
    readonly idToken?: string | null
    /** Where the provider sends the browser back to, as it is registered there. */
    readonly postLogoutRedirectUri?: string
    /** Comes back with the browser. */
    readonly state?: string
  }): Promise<string | null>
  /**
   * Verifies the logout token that a provider has posted (`logout_token`): end the sessions that it names, answer 200, and 400
   * when it is refused. Each token is accepted once.
   *
   * @param end ends what the token names, before it is used up (OpenID Connect Back-Channel Logout 1.0 §2.6): what this throws is
   * thrown, and the same token may be sent again. Omitted: the token is used up first, and a failure afterwards is final.
   */
  verifyLogoutToken(
    token: string | null,
    end?: (logout: Extract<LogoutVerdict, { readonly ok: true }>) => Promise<unknown>,
  ): Promise<LogoutVerdict>
}

/** The verdict on a callback. `cookie`: the `Set-Cookie` line that ends the sign-in in the browser, where it had one. */
export type CallbackVerdict =
  | {
      readonly ok: true
      /** The name of the provider. */
      readonly provider: string
      readonly issuer: string
      readonly subject: string
      /** All that the provider says of the user. */
      readonly claims: Readonly<Record<string, unknown>>
      /** An address, or `null`. */
      readonly email: string | null
      /** Whether the provider has verified that the address is the user's. */
      readonly emailVerified: boolean
      /** What was proven at the provider (RFC 8176). It counts where you trust the provider with that. */
      readonly amr: readonly string[]
      /** The session at the provider, which a logout token names. */
      readonly sid: string | null
      /** When the user signed in at the provider, epoch milliseconds; `null`: it does not say it. */
      readonly authenticatedAt: number | null
      readonly tokens: TokenSet
      /** The path that was given to `begin`. */
      readonly returnTo: string
      /** The text that was given to `begin`; `null`: none was. */
      readonly binding: string | null
      readonly cookie: string
    }
  | {
      readonly ok: false
      readonly reason: /** A parameter stands twice, there is neither a code nor an error, or both, or a token. */
        | 'malformed'
        /** No sign-in of this browser, with this provider and this client, waits for the answer. */
        | 'state'
        /** It came to another path than that of `redirectUri`. */
        | 'redirect-uri'
        /** The user took longer than ten minutes. */
        | 'expired'
        /** It was shown before. */
        | 'used'
        /** Another provider has answered, or it is not said which (RFC 9207). */
        | 'issuer'
        /** The provider has refused, by a code of RFC 6749 §4.1.2.1 or OpenID Connect Core §3.1.2.6. */
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
        /** The provider has refused, by another code. */
        | 'refused'
        /** The provider refuses its own code: another client's, too old, or used. */
        | 'code'
        /** What the provider says of the user is of another one, or of none. */
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
        /** There is none. */
        | 'missing'
        /** A claim is missing, or has another type. */
        | 'claims'
        | 'issuer'
        | 'audience'
        /** `azp` is another client. Where there are several audiences and no `azp`, the reason is `audience`. */
        | 'authorized-party'
        | 'expired'
        | 'not-yet-valid'
        | 'nonce'
        | 'subject'
        /** `at_hash` is that of another access token. */
        | 'access-token-hash'
        /** The sign-in at the provider is older than was asked for, or of the future. */
        | 'auth-time'
      readonly returnTo: string | null
      readonly cookie: string | null
    }

/** The verdict on a logout token (OpenID Connect Back-Channel Logout §2.6). */
export type LogoutVerdict =
  /** End the sessions of `sid`, or all of `subject` where it is `null`. One of both is always there. */
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
        /** It does not say that a session has ended. */
        | 'event'
        /** It has a `nonce`: it is an id token. */
        | 'nonce'
        /** Its `jti` was shown before. */
        | 'used'
    }

/** What a provider has given this client. */
export interface TokenSet {
  /** For the APIs of the provider. It is a secret. */
  readonly accessToken: string
  /** When the access token ends, epoch milliseconds; `null`: the provider does not say it. */
  readonly expiresAt: number | null
  /** Gets the next access token. It is a secret; `null`: none was given, or the one that was shown stays. */
  readonly refreshToken: string | null
  /** For `logoutUrl`; `null`: the provider issues none. */
  readonly idToken: string | null
  /** What the access token may, as the provider says it; `null`: what was asked for. */
  readonly scopes: readonly string[] | null
}
