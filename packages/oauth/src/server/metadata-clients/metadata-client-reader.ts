import type { JWK } from 'jose'

/** What an allowed document says of its client. Every rule of documents holds for it, and no member is the client's own text otherwise. */
export interface MetadataClientDocument {
  /** The URL of the document, byte for byte. */
  readonly clientId: string
  readonly clientName: string
  readonly redirectUris: readonly string[]
  readonly tokenEndpointAuthMethod: 'none' | 'private_key_jwt'
  /** The public keys of `private_key_jwt`, of which only members of public keys are kept. */
  readonly jwks?: { readonly keys: readonly JWK[] }
  readonly grantTypes: readonly ('authorization_code' | 'refresh_token')[]
  /** What the client limits itself to: scopes with a space between. */
  readonly scope?: string
}

/**
 * What became of a reading.
 *
 * - `client`: the document is allowed. `fetched`: it was fetched for this reading, and not in memory.
 * - `refused`: nothing was fetched. The id is not allowed, or its host has an address that must not be connected to.
 * - `failed`: there is no document: the network, time, status, size, or type.
 * - `invalid`: the document breaks a rule.
 * - `limited`: a limit of fetches is reached.
 *
 * `reason` is a sentence for logs. It quotes nothing of the answer.
 */
export type MetadataClientReading =
  | { readonly kind: 'client'; readonly client: MetadataClientDocument; readonly fetched: boolean }
  | { readonly kind: 'refused' | 'failed' | 'invalid'; readonly reason: string }
  | { readonly kind: 'limited'; readonly retryAfterSeconds: number }

/** Reads the documents of clients that nobody registered. */
export interface MetadataClientReader {
  /**
   * Returns what the document of a client says.
   *
   * @param asking who asks: `address` is what fetches are counted by. `fresh`: the document in memory is not used.
   */
  read(
    id: string,
    asking: { readonly address: string | undefined; readonly fresh?: boolean; readonly signal?: AbortSignal },
  ): Promise<MetadataClientReading>
}
