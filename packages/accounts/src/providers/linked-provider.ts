import { documentId } from '@latchkey/store/internal'
import type { NewProviderLink } from './provider-links.ts'

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
export function toLinked({ issuer, subject, createdAt }: NewProviderLink): LinkedProvider {
  return { id: documentId(issuer, subject), issuer, createdAt }
}
