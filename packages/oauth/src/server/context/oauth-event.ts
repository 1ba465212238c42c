import type { LatchkeyEvent } from '@latchkey/core'
import type { FailureFacts } from '@latchkey/core/internal'

/** What happened at an authorization server. No event holds a code, a token or a secret. */
export type OAuthEvent = LatchkeyEvent & {
  readonly clientId: string
} /** An account has allowed a client something. `scopes`: all that it may now. */ & (
    | { readonly type: 'grant.given'; readonly grantId: string; readonly scopes: readonly string[] }
    /** An account has refused what a client asked for. */
    | { readonly type: 'grant.denied'; readonly scopes: readonly string[] }
    /** An account has withdrawn what it allowed a client. */
    | { readonly type: 'grant.revoked'; readonly grantId: string }
    /** A code was shown a second time: what it gave has ended. */
    | { readonly type: 'code.replayed' }
    /** A client has not shown that it is itself. `clientId` is the registered one that it named, or empty. */
    | { readonly type: 'client.refused'; readonly reason: string }
    /** The document of a client that nobody registered was read, or could not be. */
    | {
        readonly type: 'client.metadata'
        /**
         * - `fetched`: it was fetched.
         * - `changed`: it was fetched, and is not as it was when it was stored last.
         * - `refused`: the id, the host or the document is not allowed. An id that is no such URL is not repeated: `clientId` and `host`
         *   are empty.
         * - `failed`: there was no document.
         */
        readonly outcome: 'fetched' | 'changed' | 'refused' | 'failed'
        readonly host: string
        /** A sentence without anything that was fetched; `null`: nothing is wrong. */
        readonly reason: string | null
      }
    /** A client was given tokens. */
    | { readonly type: 'client.served'; readonly grantType: string; readonly scopes: readonly string[] }
    /** A client was told that a session has ended, and has answered so. */
    | { readonly type: 'logout.sent' }
    /** A client was not told that a session has ended. `clientId` is empty where the store does not say which there are. */
    | ({
        readonly type: 'logout.failed'
        /**
         * - `address`: the address is plain `http:`, and this server is not.
         * - `busy`: too many others wait for the client.
         * - `late`: there was no response in time.
         * - `unreachable`: there was no connection.
         * - `status`: the response was neither 200 nor 204; a redirect is not followed.
         * - `store`: the store does not say which clients there are.
         */
        readonly reason: 'address' | 'busy' | 'late' | 'unreachable' | 'status' | 'store'
      } & FailureFacts)
  )
