import type { HttpRequest } from '@latchkey/http'
import type { RegisteredClient } from '../clients/registered-client.ts'
import type { ServerContext } from '../context/server-context.ts'
import type { Granted } from '../issuing/token-answer.ts'
import type { Parameters } from '../parameters/parameters.ts'
import type { Refusal } from '../responses/refusal.ts'

/** A request for tokens whose client is authenticated and may use the grant. */
export interface TokenRequest {
  readonly request: HttpRequest
  readonly form: Parameters
  readonly client: RegisteredClient
  /** The thumbprint of the key of the request's proof; `null`: the request has no proof. */
  readonly keyBinding: string | null
}

/**
 * Decides on the tokens for a request. A refusal changes no stored data, except for a code or a token that was used
 * before.
 */
export type Grant = (context: ServerContext, asked: TokenRequest) => Promise<Granted | Refusal>
