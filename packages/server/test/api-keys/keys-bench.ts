import { createOAuthBench, type OAuthBench } from '../oauth/support/oauth-bench.ts'
import type { AppOptions, SignedIn } from '../support/bench.ts'
import { ownPage, type Visitor } from '../support/visitor.ts'

const apiKeys = { prefix: 'lk_', scopes: ['openid', 'email', 'notes:write', 'accounts:read'] }

export const create = `mutation ($input: CreateApiKeyInput!) {
  createApiKey(input: $input) { key apiKey { id name start scopes createdAt expiresAt lastUsedAt } }
}`

export interface MadeKey {
  readonly id: string
  readonly key: string
  /** A program that shows it as `Bearer`. */
  readonly program: Visitor
}

export interface KeysBench extends OAuthBench {
  readonly createKey: (owner: SignedIn, change?: object) => Promise<MadeKey>
}

/** A service with API keys and clients of others. */
export function createKeysBench(options: AppOptions = {}): KeysBench {
  const bench = createOAuthBench({ options: { ...options, accounts: { apiKeys, ...options.accounts } } })
  return {
    ...bench,
    async createKey(owner, change = {}) {
      const input = { name: 'Export', scopes: ['notes:write'], ...change }
      const { data, text } = await owner.ask(create, { input }, ownPage)
      if (!data?.createApiKey) throw new Error(`no key: ${text}`)
      const { key, apiKey } = data.createApiKey
      return { key, id: apiKey.id, program: bench.bearing(key) }
    },
  }
}
