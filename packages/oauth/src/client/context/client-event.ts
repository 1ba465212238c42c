import type { LatchkeyEvent } from '@latchkey/core'
import type { FailureFacts } from '@latchkey/core/internal'
import type { OAuthErrorCode } from '../../errors.ts'

/** A decision of an OAuth client. No event holds a code, a token, a secret or an address. */
export type OAuthClientEvent = LatchkeyEvent & {
  /** The name of the provider. */
  readonly provider: string
} /** A provider has signed a user in. */ & (
    | { readonly type: 'callback.accepted' }
    /** An answer of a provider was refused. `detail`: the reason for a refused id token. */
    | { readonly type: 'callback.refused'; readonly reason: string; readonly detail: string | null }
    /** A provider's logout token was accepted. */
    | { readonly type: 'logout.accepted' }
    /** A logout token was refused. */
    | { readonly type: 'logout.refused'; readonly reason: string }
    /** The provider failed, so there was no verdict. */
    | (FailureFacts & { readonly type: 'provider.failed'; readonly failure: OAuthErrorCode })
  )
