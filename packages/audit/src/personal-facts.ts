import { encodeBase64url, randomToken, sha256 } from '@latchkey/bytes'
import type { PersonalFacts } from './audit-facts.ts'

const saltBytes = 16

/**
 * The stored personal data and its digest in the row. The salt is stored with the data and erased with it, so the
 * digest cannot be guessed afterwards.
 */
export interface KeptPersonal {
  readonly personal: string | null
  readonly digest: string | null
}

/** Returns two `null`s if there is no personal data. */
export function keepPersonal({ address, userAgent, requestId }: PersonalFacts): KeptPersonal {
  if (address === null && userAgent === null && requestId === null) return { personal: null, digest: null }
  const personal = JSON.stringify({ salt: randomToken(saltBytes), address, userAgent, requestId })
  return { personal, digest: digestOf(personal) }
}

/** Returns the digest by which a row knows its personal data. */
export function digestOf(personal: string): string {
  return encodeBase64url(sha256(personal))
}

const nothing: PersonalFacts = { address: null, userAgent: null, requestId: null }

/** Returns the personal data, with `null` for each fact that was erased or never present. */
export function readPersonal(personal: string | null): PersonalFacts {
  const stored = personal === null ? null : parse(personal)
  if (typeof stored !== 'object' || stored === null) return nothing
  const members = stored as Readonly<Record<string, unknown>>
  const text = (name: keyof PersonalFacts): string | null => {
    const value = members[name]
    return typeof value === 'string' ? value : null
  }
  return { address: text('address'), userAgent: text('userAgent'), requestId: text('requestId') }
}

/** A stored value may have been changed: it is then shown as absent, and the verification reports it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
