import { encodeBase64url, randomToken, sha256 } from '@latchkey/bytes'
import type { PersonalFacts } from './audit-facts.ts'

const saltBytes = 16

/** Personal data as it is stored, and what the row says of it: without its salt, which goes with it, nothing can be guessed. */
export interface KeptPersonal {
  readonly personal: string | null
  readonly digest: string | null
}

/** Returns nothing where there is nothing to keep. */
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

/** Returns what is left of the personal data: nothing where it was erased, or is none. */
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

/** What is stored there may have been changed: it is shown as nothing, and the verification names it. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
