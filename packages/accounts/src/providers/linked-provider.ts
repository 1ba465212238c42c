import { documentId } from '@latchkey/store/internal'
import type { Accounts } from '../contract/accounts.ts'
import type { NewProviderLink } from './provider-links.ts'

/** A user of a provider by whom an account is signed in to. */
export type LinkedProvider = Awaited<ReturnType<Accounts['linkedProviders']>>[number]

/** Returns a link as its owner sees it. */
export function toLinked({ issuer, subject, createdAt }: NewProviderLink): LinkedProvider {
  return { id: documentId(issuer, subject), issuer, createdAt }
}
