import { randomToken } from '@latchkey/bytes'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import { type ClientStore, type Page, StoreError, storedVersion } from '@latchkey/store'
import { OAuthError } from '../../errors.ts'
import { type ClientInput, clientFrom, findClientFault } from './check-client.ts'
import { createClientSecret, hashClientSecret } from './client-secret.ts'
import type { RegisteredClient } from './registered-client.ts'
import { clientShape, toRegisteredClient } from './stored-client.ts'

/** A client that was just registered, or given a secret. */
export interface IssuedClient {
  readonly client: RegisteredClient
  /** Shown this once; `null`: it authenticates otherwise. */
  readonly secret: string | null
}

export interface ClientRegistryOptions {
  readonly clients: ClientStore
  /** What clients may be registered for. Omitted: any scope. */
  readonly scopes?: readonly string[]
  /** Ids of clients that are written in code: a stored client of one of them would never be found. Omitted: none. */
  readonly fixedClientIds?: readonly string[]
  /** The clock, epoch milliseconds. @default Date.now */
  readonly now?: () => number
}

/** Registers clients, for commands and administration. */
export interface ClientRegistry {
  /**
   * Registers a client.
   *
   * @param input with an `id` of your own; omitted, it is random.
   * @throws OAuthError `OAUTH_CLIENT_INVALID` with the rule, `OAUTH_CLIENT_IN_USE`.
   */
  create(input: ClientInput & { readonly id?: string }): Promise<IssuedClient>
  /** Returns clients in a stable order, disabled ones too. */
  list(page?: Page): Promise<{ readonly items: readonly RegisteredClient[]; readonly cursor?: string }>
  /** Ends a client and all that it was given; `false`: there is none of this id. */
  disable(id: string): Promise<boolean>
  /** Draws a new secret for a client, and its earlier ones end; `null`: there is none of this id that has a secret. */
  rotateSecret(id: string): Promise<IssuedClient | null>
}

const retries = 5

/**
 * Creates the registration of clients over their store.
 *
 * @throws TypeError when an option is unknown or not valid.
 *
 * @example
 * import { createClientRegistry } from '@latchkey/oauth/server'
 * import { createMemoryClientStore } from '@latchkey/store'
 * const registry = createClientRegistry({ clients: createMemoryClientStore() })
 * const { client, secret } = await registry.create({
 *   name: 'Reports',
 *   authentication: ['client_secret_basic'],
 *   redirectUris: ['https://reports.example.com/callback'],
 *   scopes: ['openid', 'articles:read'],
 * })
 */
export function createClientRegistry(options: ClientRegistryOptions): ClientRegistry {
  checkOptionNames('createClientRegistry', options, {
    clients: true,
    scopes: true,
    fixedClientIds: true,
    now: true,
  })
  const { clients, scopes, fixedClientIds = [], now = wallClock } = options
  if (typeof clients?.list !== 'function') throw new TypeError('"clients" must be a ClientStore')

  function check(client: RegisteredClient): void {
    const unknown = scopes && client.scopes.some((scope) => !scopes.includes(scope))
    const fault = findClientFault(client) ?? (unknown ? 'a scope is not one of this service' : null)
    if (fault) throw new OAuthError('OAUTH_CLIENT_INVALID', fault)
  }

  /** Changes a stored client; `null`: there is none, or it is not changed. */
  async function change(
    id: string,
    apply: (client: RegisteredClient) => Partial<RegisteredClient> | null,
  ): Promise<RegisteredClient | null> {
    for (let made = 0; made <= retries; made++) {
      const stored = await clients.get(id)
      const applied = stored && apply(toRegisteredClient(id, stored.value))
      if (!stored || !applied) return null
      const value = clientShape.format({ ...clientShape.parse(stored.value), ...applied }, storedVersion)
      if (await clients.replace(id, stored.version, value)) return toRegisteredClient(id, value)
    }
    throw new StoreError('STORE_UNAVAILABLE', 'the client kept changing while it was read')
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
      if (await clients.insert({ id, value: clientShape.format(value, storedVersion) })) return { client, secret }
      throw new OAuthError('OAUTH_CLIENT_IN_USE', 'a client has this id')
    },
    async list(page) {
      const { items, ...rest } = await clients.list(page)
      return { items: items.map(({ id, value }) => toRegisteredClient(id, value)), ...rest }
    },
    async disable(id) {
      return (await change(id, () => ({ isDisabled: true }))) !== null
    },
    async rotateSecret(id) {
      const secret = createClientSecret()
      const client = await change(id, ({ secretHashes }) =>
        secretHashes.length > 0 ? { secretHashes: [hashClientSecret(secret)] } : null,
      )
      return client && { client, secret }
    },
  }
}
