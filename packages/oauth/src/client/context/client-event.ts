import type { LatchkeyEvent } from '@latchkey/core'
import type { FailureFacts } from '@latchkey/core/internal'
import type { OAuthErrorCode } from '../../errors.ts'

/** What happened at a client. No event holds a code, a token, a secret or an address. */
export type OAuthClientEvent = LatchkeyEvent & {
  /** The name of the provider. */
  readonly provider: string
} /** A provider has signed a user in. */ & (
    | { readonly type: 'callback.accepted' }
    /** An answer of a provider was refused. `detail`: what is wrong with the id token. */
    | { readonly type: 'callback.refused'; readonly reason: string; readonly detail: string | null }
    /** A provider has ended a session. */
    | { readonly type: 'logout.accepted' }
    /** A logout token was refused. */
    | { readonly type: 'logout.refused'; readonly reason: string }
    /** There was no verdict, because of the provider. */
    | (FailureFacts & { readonly type: 'provider.failed'; readonly failure: OAuthErrorCode })
  )
