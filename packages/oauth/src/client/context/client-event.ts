import type { LatchkeyEvent } from '@latchkey/core'
import type { FailureFacts } from '@latchkey/core/internal'
import type { OAuthErrorCode } from '../../errors.ts'

interface AtProvider extends LatchkeyEvent {
  /** The name of the provider. */
  readonly provider: string
}

/** What happened at a client. No event holds a code, a token, a secret or an address. */
export type OAuthClientEvent =
  /** A provider has signed a user in. */
  | (AtProvider & { readonly type: 'callback.accepted' })
  /** An answer of a provider was refused. `detail`: what is wrong with the id token. */
  | (AtProvider & { readonly type: 'callback.refused'; readonly reason: string; readonly detail: string | null })
  /** A provider has ended a session. */
  | (AtProvider & { readonly type: 'logout.accepted' })
  /** A logout token was refused. */
  | (AtProvider & { readonly type: 'logout.refused'; readonly reason: string })
  /** There was no verdict, because of the provider. */
  | (AtProvider & FailureFacts & { readonly type: 'provider.failed'; readonly failure: OAuthErrorCode })
