import type { LatchkeyEvent } from '@latchkey/core'
import type { FailureFacts } from '@latchkey/core/internal'

/** An event of an authorization server. No event contains a code, a token or a secret. */
export type OAuthEvent = LatchkeyEvent & {
  readonly clientId: string
} /** An account has given its consent to a client. `scopes`: all scopes that the client may request now. */ & (
    | { readonly type: 'grant.given'; readonly grantId: string; readonly scopes: readonly string[] }
    /** An account has denied the request of a client. */
    | { readonly type: 'grant.denied'; readonly scopes: readonly string[] }
    /** An account has withdrawn its consent to a client. */
    | { readonly type: 'grant.revoked'; readonly grantId: string }
    /** A code was used a second time. Its tokens are revoked. */
    | { readonly type: 'code.replayed' }
    /** The authentication of a client failed. `clientId`: empty if no client with the sent id was found. */
    | { readonly type: 'client.refused'; readonly reason: string }
    /** The document of an unregistered client was read, or the read failed. */
    | {
        readonly type: 'client.metadata'
        /**
         * - `fetched`: the document was fetched.
         * - `changed`: the document was fetched and differs from the stored document.
         * - `refused`: the id, the host or the document is not allowed. If the id is not allowed, `clientId` and `host` are empty.
         * - `failed`: the document could not be fetched.
         */
        readonly outcome: 'fetched' | 'changed' | 'refused' | 'failed'
        readonly host: string
        /** A sentence that quotes no part of the document; `null`: the document is valid. */
        readonly reason: string | null
      }
    /** A client received tokens. */
    | { readonly type: 'client.served'; readonly grantType: string; readonly scopes: readonly string[] }
    /** A client has confirmed the notification of a revoked session. */
    | { readonly type: 'logout.sent' }
    /** The notification of a revoked session failed. `clientId` is empty if the store could not list the clients. */
    | ({
        readonly type: 'logout.failed'
        /**
         * - `address`: the address is `http:`, but the issuer is `https:`.
         * - `busy`: too many calls wait for the client.
         * - `late`: the client did not respond in time.
         * - `unreachable`: the connection failed.
         * - `status`: the status is neither 200 nor 204. Redirects are not followed.
         * - `store`: a store failed, or the token could not be signed.
         */
        readonly reason: 'address' | 'busy' | 'late' | 'unreachable' | 'status' | 'store'
      } & FailureFacts)
  )
