import {
  isStoredCount,
  isStoredText,
  type StoredCheck,
  storedList,
  storedOrNull,
  storedOrOmitted,
} from '@latchkey/store/internal'
import type { MetadataClientDocument } from '../metadata-clients/metadata-client-reader.ts'
import { isStoredDocument } from '../unregistered/allowed-documents.ts'

/** A request of a client that has passed every check of the endpoint. */
export interface AuthorizationRequest {
  readonly clientId: string
  /** The client's metadata by its own document; `null`: as registered. */
  readonly document: MetadataClientDocument | null
  readonly redirectUri: string
  /** Returned unchanged; `null`: omitted. */
  readonly state: string | null
  readonly scopes: readonly string[]
  /** The PKCE challenge, of the method S256. */
  readonly challenge: string
  readonly nonce: string | null
  readonly prompt: readonly Prompt[]
  /** The maximum age of the sign-in; `null`: any age. */
  readonly maxAgeSeconds: number | null
  /** The requested classes of sign-in, the preferred class first. */
  readonly acrValues: readonly string[]
  readonly loginHint: string | null
  /** The account that must sign in, by an id token of this server; `null`: any account. */
  readonly subject: string | null
  readonly resources: readonly string[]
  /** The thumbprint of the key that the code is bound to (RFC 9449 §10). */
  readonly keyBinding: string | null
}

/** The values of `prompt` (OpenID Connect Core §3.1.2.1). */
export type Prompt = 'none' | 'login' | 'consent' | 'select_account'

const isStoredTextOrNull = storedOrNull(isStoredText)

/** The members of a stored request. */
export const requestMembers: { readonly [Name in keyof AuthorizationRequest]-?: StoredCheck } = {
  clientId: isStoredText,
  // Requests of an earlier release have no document.
  document: storedOrOmitted(storedOrNull(isStoredDocument)),
  redirectUri: isStoredText,
  state: isStoredTextOrNull,
  scopes: storedList(isStoredText),
  challenge: isStoredText,
  nonce: isStoredTextOrNull,
  prompt: storedList(isStoredText),
  maxAgeSeconds: storedOrNull(isStoredCount),
  acrValues: storedList(isStoredText),
  loginHint: isStoredTextOrNull,
  subject: isStoredTextOrNull,
  resources: storedList(isStoredText),
  keyBinding: isStoredTextOrNull,
}
