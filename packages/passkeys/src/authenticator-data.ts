import { equalBytes, sha256 } from '@latchkey/bytes'
import { decodeAttestationObject, parseAuthenticatorData } from '@simplewebauthn/server/helpers'
import type { UnsignedRefusal } from './verdicts.ts'

/** The authenticator's statement about itself and the user (WebAuthn Level 3, section 6.1). */
export interface AuthenticatorData {
  readonly relyingPartyHash: Uint8Array
  readonly isUserPresent: boolean
  readonly isUserVerified: boolean
  readonly isBackupEligible: boolean
  readonly isBackedUp: boolean
  readonly counter: number
  /** Of a registration, otherwise `null`; the key as COSE has it. */
  readonly attested: { readonly credentialId: Uint8Array; readonly publicKey: Uint8Array } | null
}

/** An attestation object with the form of its statement, which the library verifies. */
export interface AttestedData {
  readonly data: AuthenticatorData
  /** Whether the form is accepted: `none`, or a form that the passkey itself has signed. */
  readonly isAccepted: boolean
}

/** Returns the authenticator data, or `null` for other bytes. */
export function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData | null {
  try {
    return toData(parseAuthenticatorData(new Uint8Array(bytes)))
  } catch {
    return null
  }
}

/** Returns the attestation object, or `null` for other bytes. */
export function readAttestationObject(bytes: Uint8Array): AttestedData | null {
  try {
    const object: unknown = decodeAttestationObject(new Uint8Array(bytes))
    if (!(object instanceof Map)) return null
    const [format, authData, statement] = [object.get('fmt'), object.get('authData'), object.get('attStmt')]
    if (!(authData instanceof Uint8Array) || !(statement instanceof Map)) return null
    const data = readAuthenticatorData(authData)
    return data && { data, isAccepted: format === 'none' || (format === 'packed' && !statement.has('x5c')) }
  } catch {
    return null
  }
}

/** Returns why an authenticator may not have said this here, or `null`. */
export function judgeAuthenticatorData(
  data: AuthenticatorData,
  expected: { readonly relyingPartyId: string; readonly userVerification: 'required' | 'preferred' },
): UnsignedRefusal | null {
  if (!equalBytes(data.relyingPartyHash, sha256(expected.relyingPartyId))) return 'relying-party'
  if (!data.isUserPresent) return 'user-presence'
  if (expected.userVerification === 'required' && !data.isUserVerified) return 'user-verification'
  return data.isBackedUp && !data.isBackupEligible ? 'backup' : null
}

function toData(parsed: ReturnType<typeof parseAuthenticatorData>): AuthenticatorData {
  const { rpIdHash, flags, counter, credentialID, credentialPublicKey } = parsed
  return {
    relyingPartyHash: rpIdHash,
    isUserPresent: flags.up,
    isUserVerified: flags.uv,
    isBackupEligible: flags.be,
    isBackedUp: flags.bs,
    counter,
    attested:
      credentialID && credentialPublicKey ? { credentialId: credentialID, publicKey: credentialPublicKey } : null,
  }
}

/** Whether the attested credential is the one that the client names. */
export function isAttested(credentialId: Uint8Array, { attested }: AuthenticatorData): boolean {
  return attested !== null && equalBytes(attested.credentialId, credentialId)
}
