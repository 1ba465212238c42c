import type { PasskeysFactor } from '@latchkey/accounts'
import { decodeBase64url } from '@latchkey/bytes'

/** Reports a refused origin. */
export interface OriginNotes {
  note(origin: string, check: 'passkey'): void
}

type Passkeys = PasskeysFactor & { readonly relatedOrigins?: { readonly origins: readonly string[] } | null }

/** Returns the passkeys with the origin of each one announced that was refused because of it. */
export function noteOrigins(passkeys: Passkeys, notes: OriginNotes): Passkeys {
  const noted = async <Verdict extends { readonly ok: boolean }>(response: unknown, work: Promise<Verdict>) => {
    const verdict = await work
    const origin = 'reason' in verdict && verdict.reason === 'origin' ? readOrigin(response) : null
    if (origin !== null) notes.note(origin, 'passkey')
    return verdict
  }
  return {
    relatedOrigins: passkeys.relatedOrigins ?? null,
    startRegistration: (...given) => passkeys.startRegistration(...given),
    finishRegistration: (...given) => noted(given[1], passkeys.finishRegistration(...given)),
    startSignIn: (...given) => passkeys.startSignIn(...given),
    finishSignIn: (...given) => noted(given[0], passkeys.finishSignIn(...given)),
    list: (...given) => passkeys.list(...given),
    rename: (...given) => passkeys.rename(...given),
    remove: (...given) => passkeys.remove(...given),
  }
}

/** Returns the origin that the browser has written into its response (WebAuthn Level 3, section 5.8.1). */
function readOrigin(response: unknown): string | null {
  try {
    const credential = typeof response === 'string' ? JSON.parse(response) : response
    const bytes = decodeBase64url(credential.response.clientDataJSON)
    const { origin } = JSON.parse(new TextDecoder().decode(bytes ?? undefined))
    return typeof origin === 'string' ? origin : null
  } catch {
    return null
  }
}
