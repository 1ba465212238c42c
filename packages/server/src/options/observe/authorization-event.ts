import type { LatchkeyEvent } from '@latchkey/core'
import type { FailureFacts } from '@latchkey/core/internal'

/** An event between accounts and OAuth clients. */
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
    /** An account has refused the requested scopes. */
    | { readonly type: 'grant.denied'; readonly scopes: readonly string[] }
    /** An account has withdrawn what it allowed a client. */
    | { readonly type: 'grant.revoked'; readonly grantId: string }
    /** A code was used a second time. The tokens issued for it are revoked. */
    | { readonly type: 'code.replayed' }
    /** A client has not shown that it is itself. `clientId` is the registered one that it named, or empty. */
    | { readonly type: 'client.refused'; readonly reason: string }
    /** The metadata document of an unregistered client was read, or could not be read. */
    | {
        readonly type: 'client.metadata'
        readonly outcome: 'fetched' | 'changed' | 'refused' | 'failed'
        /** Empty for an id that is not allowed, as `clientId`. */
        readonly host: string
        readonly reason: string | null
      }
    /** A client was given tokens. */
    | { readonly type: 'client.served'; readonly grantType: string; readonly scopes: readonly string[] }
    /** A client has confirmed the notice that a session was revoked. */
    | { readonly type: 'logout.sent' }
    /**
     * A client could not be notified that a session was revoked. `clientId` is empty if the store cannot list the
     * clients.
     */
    | (FailureFacts & { readonly type: 'logout.failed'; readonly reason: string })
  )
