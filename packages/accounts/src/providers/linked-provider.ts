import type { Accounts } from '../contract/accounts.ts'
import type { ProviderLink } from './provider-links.ts'

/** A user of a provider who can sign in to the account. */
export type LinkedProvider = Awaited<ReturnType<Accounts['linkedProviders']>>[number]

/** Returns a link as its owner sees it. */
export function toLinked({ id, issuer, createdAt }: ProviderLink): LinkedProvider {
  return { id, issuer, createdAt }
}
