import type { HttpRequest } from '@latchkey/http'
import type { ProviderClient } from '../../options/sign-in/provider-client.ts'

/** A callback that the client of a provider has accepted. */
export interface AcceptedCallback {
  readonly request: HttpRequest
  readonly verdict: Extract<Awaited<ReturnType<ProviderClient['finish']>>, { readonly ok: true }>
  /** A path of this service; `null`: the home of the application. */
  readonly returnTo: string | null
}
