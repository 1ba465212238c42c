import { randomToken } from '@latchkey/bytes'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import type { DocumentStore, Page } from '@latchkey/store'
import { checkStores, storedVersion as newestVersion } from '@latchkey/store/internal'
import { OAuthError } from '../../errors.ts'
import { type ClientInput, clientFrom, findClientFault } from './check-client.ts'
import { canBeBlocked, createClientBlocks } from './client-blocks.ts'
import { createClientSecret, hashClientSecret } from './client-secret.ts'
import type { RegisteredClient } from './registered-client.ts'
import { openStoredClients, toRegisteredClient } from './stored-client.ts'

/** Registers clients, for commands and administration. */
export interface ClientRegistry {
  /**
   * Registers a client.
   *
   * @param input `id`: your own id of the client; omitted: a random id.
   * @throws OAuthError `OAUTH_CLIENT_INVALID` with the rule, `OAUTH_CLIENT_IN_USE`.
   */
  create(input: ClientInput & { readonly id?: string }): Promise<{
    readonly client: RegisteredClient
    /** The secret, which cannot be read again; `null`: the client has no secret. */
    readonly secret: string | null
  }>
  /** Returns clients in a stable order, disabled ones too. */
  list(page?: Page): Promise<{ readonly items: readonly RegisteredClient[]; readonly cursor?: string }>
  /** Removes a client and revokes all its tokens; `false`: no client has this id. */
  disable(id: string): Promise<boolean>
  /**
   * Creates a new secret for a client and invalidates the earlier secrets; `null`: no client with a secret has this id.
   */
  rotateSecret(id: string): Promise<Awaited<ReturnType<ClientRegistry['create']>> | null>
  /**
   * Blocks unregistered clients and their tokens from the next request on; `false`: they were blocked before.
   *
   * @param hostOrId a host without a port, or a `client_id`.
   * @throws OAuthError `OAUTH_CLIENT_INVALID` if `hostOrId` is neither.
   */
  block(hostOrId: string): Promise<boolean>
  /** Removes a block; `false`: there is no such block. Tokens that were not revoked in between are valid again. */
  unblock(hostOrId: string): Promise<boolean>
}

/**
 * Creates the registration of clients over their store.
 *
 * @throws TypeError when an option is unknown or not valid.
 *
 * @example
 * import { createClientRegistry } from '@latchkey/oauth/server'
 * import { createMemoryDocumentStore } from '@latchkey/store'
 * const registry = createClientRegistry({ documents: createMemoryDocumentStore() })
 * const { client, secret } = await registry.create({
 *   name: 'Reports',
 *   authentication: ['client_secret_basic'],
 *   redirectUris: ['https://reports.example.com/callback'],
 *   scopes: ['openid', 'articles:read'],
 * })
 */
export function createClientRegistry(options: {
  /** Keeps the clients, in the collection `oauth-client`. */
  readonly documents: DocumentStore
  /** The scopes that clients may be registered with. Omitted: any scope. */
  readonly scopes?: readonly string[]
  /** Ids of the clients in code, which new clients cannot have. @default [] */
  readonly fixedClientIds?: readonly string[]
  /** The clock, epoch milliseconds. @default Date.now */
  readonly now?: () => number
  /**
   * Returns the version of stored values to write, as in `createSessions`.
   * @default the newest
   */
  readonly storedVersion?: () => number
}): ClientRegistry {
  checkOptionNames('createClientRegistry', options, {
    documents: true,
    scopes: true,
    fixedClientIds: true,
    now: true,
    storedVersion: true,
  })
  const { documents, scopes, fixedClientIds = [], now = wallClock, storedVersion = () => newestVersion } = options
  checkStores({ documents })
  const clients = openStoredClients(documents, storedVersion)
  const blocks = createClientBlocks(documents, storedVersion)

  function check(client: RegisteredClient): void {
    const unknown = scopes && client.scopes.some((scope) => !scopes.includes(scope))
    const fault = findClientFault(client) ?? (unknown ? 'a scope is not one of this service' : null)
    if (fault) throw new OAuthError('OAUTH_CLIENT_INVALID', fault)
  }

  return {
    async create({ id = `client_${randomToken(16)}`, ...input }) {
      const takesSecret = input.authentication.some((method) => method.startsWith('client_secret_'))
      const secret = takesSecret ? createClientSecret() : null
      const client = clientFrom(id, input, secret === null ? [] : [hashClientSecret(secret)], now())
      check(client)
      if (fixedClientIds.includes(id)) {
        throw new OAuthError('OAUTH_CLIENT_IN_USE', 'a client that is written in code has this id')
      }
      const { id: _id, ...value } = client
      if (await clients.insert(id, null, value)) return { client, secret }
      throw new OAuthError('OAUTH_CLIENT_IN_USE', 'a client has this id')
    },
    async list(page) {
      const { items, ...rest } = await clients.list(page)
      return { items: items.map(toRegisteredClient), ...rest }
    },
    async disable(id) {
      return (await clients.update(id, ({ value }) => ({ ...value, isDisabled: true }))) !== null
    },
    async rotateSecret(id) {
      const secret = createClientSecret()
      const changed = await clients.update(id, ({ value }) =>
        value.secretHashes.length > 0 ? { ...value, secretHashes: [hashClientSecret(secret)] } : null,
      )
      return changed && { client: toRegisteredClient(changed), secret }
    },
    async block(hostOrId) {
      checkBlocked(hostOrId)
      return blocks.block(hostOrId, now())
    },
    async unblock(hostOrId) {
      checkBlocked(hostOrId)
      return blocks.unblock(hostOrId)
    },
  }
}

function checkBlocked(hostOrId: string): void {
  if (canBeBlocked(hostOrId)) return
  throw new OAuthError('OAUTH_CLIENT_INVALID', 'a host without a port, or the address of a client, is blocked')
}
