import type { LatchkeyEvent } from '@latchkey/core'
import type { FailureFacts } from '@latchkey/core/internal'

/** What happened between accounts and the clients of others. */
export type AuthorizationEvent = LatchkeyEvent & {
  readonly clientId: string
} & (
    | {
        /** An account has allowed a client something. */
        readonly type: 'grant.given'
        readonly grantId: string
        /** All that the client may now. */
        readonly scopes: readonly string[]
      }
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
        readonly outcome: 'fetched' | 'changed' | 'refused' | 'failed'
        /** Empty for an id that is not allowed, as `clientId`. */
        readonly host: string
        readonly reason: string | null
      }
    /** A client was given tokens. */
    | { readonly type: 'client.served'; readonly grantType: string; readonly scopes: readonly string[] }
    /** A client was told that a session has ended, and has answered so. */
    | { readonly type: 'logout.sent' }
    /** A client was not told that a session has ended. `clientId` is empty where the store does not say which there are. */
    | (FailureFacts & { readonly type: 'logout.failed'; readonly reason: string })
  )
