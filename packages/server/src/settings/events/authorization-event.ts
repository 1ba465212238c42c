import type { LatchkeyEvent } from '@latchkey/core'
import type { FailureFacts } from '@latchkey/core/internal'

interface OfClient extends LatchkeyEvent {
  readonly clientId: string
}

/** What happened between accounts and the clients of others. */
export type AuthorizationEvent =
  /** An account has allowed a client something. `scopes`: all that it may now. */
  | (OfClient & { readonly type: 'grant.given'; readonly grantId: string; readonly scopes: readonly string[] })
  /** An account has refused what a client asked for. */
  | (OfClient & { readonly type: 'grant.denied'; readonly scopes: readonly string[] })
  /** An account has withdrawn what it allowed a client. */
  | (OfClient & { readonly type: 'grant.revoked'; readonly grantId: string })
  /** A code was shown a second time: what it gave has ended. */
  | (OfClient & { readonly type: 'code.replayed' })
  /** A client has not shown that it is itself. `clientId` is the registered one that it named, or empty. */
  | (OfClient & { readonly type: 'client.refused'; readonly reason: string })
  /** A client was given tokens. */
  | (OfClient & { readonly type: 'client.served'; readonly grantType: string; readonly scopes: readonly string[] })
  /** A client was told that a session has ended, and has answered so. */
  | (OfClient & { readonly type: 'logout.sent' })
  /** A client was not told that a session has ended. `clientId` is empty where the store does not say which there are. */
  | (OfClient & FailureFacts & { readonly type: 'logout.failed'; readonly reason: string })
