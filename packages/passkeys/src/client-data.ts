import { decodeBase64url } from '@latchkey/bytes'
import type { CheckedRelyingParty } from './relying-party.ts'
import type { UnsignedRefusal } from './verdicts.ts'

/** The browser's statement about a ceremony, which the authenticator signs (WebAuthn Level 3, section 5.8.1). */
export interface ClientData {
  readonly type: string
  readonly challenge: string
  readonly origin: string
  readonly isCrossOrigin: boolean
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Returns the client data, or `null` for other JSON. It may throw for hostile text. */
export function readClientData(text: string): ClientData | null {
  const bytes = decodeBase64url(text)
  const data: unknown = bytes && JSON.parse(utf8.decode(bytes))
  if (typeof data !== 'object' || data === null) return null
  const { type, challenge, origin, crossOrigin = false, topOrigin } = data as Readonly<Record<string, unknown>>
  if (typeof type !== 'string' || typeof challenge !== 'string' || typeof origin !== 'string') return null
  if (typeof crossOrigin !== 'boolean') return null
  return { type, challenge, origin, isCrossOrigin: crossOrigin || topOrigin !== undefined }
}

/** Returns why a ceremony of this type cannot come from a page of the relying party, or `null`. */
export function judgeClientData(
  { type, origin, isCrossOrigin }: ClientData,
  expected: { readonly type: 'webauthn.create' | 'webauthn.get'; readonly relyingParty: CheckedRelyingParty },
): UnsignedRefusal | null {
  if (type !== expected.type) return 'ceremony'
  if (!expected.relyingParty.origins.has(origin)) return 'origin'
  return isCrossOrigin ? 'cross-origin' : null
}
