import { encodeBase64url, sha256 } from '@latchkey/bytes'
import type { StoredLink } from '@latchkey/store'
import type { Accounts } from '../contract/accounts.ts'

/** A user of a provider by whom an account is signed in to. */
export type LinkedProvider = Awaited<ReturnType<Accounts['linkedProviders']>>[number]

/** Returns a link as its owner sees it. */
export function toLinked(link: StoredLink): LinkedProvider {
  const { issuer, subject, createdAt } = link
  return { id: nameOf(issuer, subject), issuer, createdAt }
}

/** Returns a name for two texts of a provider. */
export function nameOf(issuer: string, text: string): string {
  return encodeBase64url(sha256(new TextEncoder().encode(JSON.stringify([issuer, text]))))
}
