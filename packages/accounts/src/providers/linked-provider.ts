import { encodeBase64url, sha256 } from '@latchkey/bytes'
import type { StoredLink } from '@latchkey/store'

/** A user of a provider by whom an account is signed in to. */
export interface LinkedProvider {
  /** Its public name, which `unlinkProvider` takes. */
  readonly id: string
  /** The provider's `iss`. */
  readonly issuer: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}

/** Returns a link as its owner sees it. */
export function toLinked(link: StoredLink): LinkedProvider {
  const { issuer, subject, createdAt } = link
  return { id: nameOf(issuer, subject), issuer, createdAt }
}

/** Returns a name for two texts of a provider. */
export function nameOf(issuer: string, text: string): string {
  return encodeBase64url(sha256(new TextEncoder().encode(JSON.stringify([issuer, text]))))
}
