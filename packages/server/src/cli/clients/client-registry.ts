import type { DocumentStore } from '@latchkey/store'
import { CommandFailure } from '../command-failure.ts'

// The used part of `createClientRegistry`, as types of its own, because its package is optional.

/** The input of a registration. */
export interface NewClient {
  readonly id?: string
  readonly name: string
  readonly kind: 'web' | 'native'
  readonly authentication: readonly string[]
  readonly jwks?: unknown
  readonly grantTypes?: readonly string[]
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  readonly backchannelLogoutUri?: string
  readonly idTokenSignedResponseAlg?: string
  readonly scopes: readonly string[]
  readonly firstParty: boolean
}

/** A client as the registry lists it. */
export interface ListedClient {
  readonly id: string
  readonly name: string
  readonly kind: 'web' | 'native'
  readonly authentication: readonly string[]
  readonly grantTypes: readonly string[]
  readonly redirectUris: readonly string[]
  readonly postLogoutRedirectUris: readonly string[]
  readonly backchannelLogoutUri: string | null
  readonly idTokenSignedResponseAlg: string | null
  readonly scopes: readonly string[]
  readonly firstParty: boolean
  readonly isDisabled: boolean
  readonly createdAt: number
}

/** A client that was just registered, or given a secret, which is shown this once. */
export interface IssuedClient {
  readonly client: ListedClient
  readonly secret: string | null
}

/** The registration of clients. */
export interface ClientRegistry {
  create(client: NewClient): Promise<IssuedClient>
  list(page: {
    readonly cursor?: string
  }): Promise<{ readonly items: readonly ListedClient[]; readonly cursor?: string }>
  disable(id: string): Promise<boolean>
  rotateSecret(id: string): Promise<IssuedClient | null>
  block(hostOrId: string): Promise<boolean>
  unblock(hostOrId: string): Promise<boolean>
}

type CreateClientRegistry = (options: {
  readonly documents: DocumentStore
  readonly scopes: readonly string[]
  readonly fixedClientIds: readonly string[]
  readonly now: () => number
  readonly storedVersion: () => number
}) => ClientRegistry

/** Imported by name, because a service without an authorization server does not install the package. */
const registryModule = '@latchkey/oauth/server'

/** @throws CommandFailure when the package is not installed. */
export async function loadClientRegistry(): Promise<CreateClientRegistry> {
  try {
    return (await import(registryModule)).createClientRegistry
  } catch (cause) {
    throw new CommandFailure('Clients are registered by the package @latchkey/oauth, which cannot be loaded.', {
      exitCode: 1,
      next: 'npm install @latchkey/oauth',
      cause,
    })
  }
}
