import type { JWK } from 'jose'

/** The members of a valid document. */
export interface MetadataClientDocument {
  /** The URL of the document. */
  readonly clientId: string
  readonly clientName: string
  readonly redirectUris: readonly string[]
  readonly tokenEndpointAuthMethod: 'none' | 'private_key_jwt'
  /** The public keys of `private_key_jwt`, with `kid`, `alg` and `use`. */
  readonly jwks?: { readonly keys: readonly JWK[] }
  readonly grantTypes: readonly ('authorization_code' | 'refresh_token')[]
  /** The scopes that the client limits itself to, separated by spaces. */
  readonly scope?: string
}

/**
 * The result of a reading.
 *
 * - `client`: the document is valid. `fetched`: this reading fetched the document. `false`: the document comes from memory, or
 *   from the fetch of a reading at the same time.
 * - `refused`: the rules forbid the id, or an address of the host. There was no connection.
 * - `failed`: there is no document, because of the network, time, status, size or type.
 * - `invalid`: the document breaks a rule.
 * - `limited`: a limit of fetches is reached.
 *
 * `reason` is a sentence for logs and never quotes an answer.
 */
export type MetadataClientReading =
  | { readonly kind: 'client'; readonly client: MetadataClientDocument; readonly fetched: boolean }
  | { readonly kind: 'refused' | 'failed' | 'invalid'; readonly reason: string }
  | { readonly kind: 'limited'; readonly retryAfterSeconds: number }

/** Reads the documents of unregistered clients (draft-ietf-oauth-client-id-metadata-document-02). */
export interface MetadataClientReader {
  /**
   * Returns the document of a client, or a refusal.
   *
   * @param asking `address`: the address of the requester, for the limits. `fresh`: fetches the document even if memory has a
   * copy. `signal`: stops the wait.
   * @throws the reason of `signal`.
   */
  read(
    id: string,
    asking: { readonly address: string | undefined; readonly fresh?: boolean; readonly signal?: AbortSignal },
  ): Promise<MetadataClientReading>
}
