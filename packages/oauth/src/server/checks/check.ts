import type { RegisteredClient } from '../clients/registered-client.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { MetadataClientDocument } from '../metadata-clients/metadata-client-reader.ts'
import type { Parameters } from '../parameters/parameters.ts'
import type { Refusal } from '../responses/refusal.ts'
import type { AuthorizationRequest } from './authorization-request.ts'

/** A request with a known client and redirect. */
export interface Asked {
  readonly parameters: Parameters
  readonly client: RegisteredClient
  /** The document of an unregistered client; `null`: the client is registered. */
  readonly document: MetadataClientDocument | null
  readonly redirectUri: string
}

/** Reads a part of a request. Returns its value, or the broken rule. */
export type Check<Name extends keyof AuthorizationRequest = never> = (
  asked: Asked,
  context: ServerContext,
) => Pick<AuthorizationRequest, Name> | Refusal | Promise<Pick<AuthorizationRequest, Name> | Refusal>

/** The result of a check that passes on no value. */
export const nothing: Pick<AuthorizationRequest, never> = Object.freeze({})

/** Printable ASCII (RFC 6749, appendix A). */
export function isVisible(text: string, longest: number): boolean {
  return text.length <= longest && /^[ -~]*$/.test(text)
}
