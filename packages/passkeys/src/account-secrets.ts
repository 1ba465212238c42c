import { deriveSecrets, encodeBase64url, hmacSha256, type SecretKeys } from '@latchkey/bytes'
import type { AllowedCredential } from './passkey.ts'

/** Values computed from account names, which cannot be computed back. */
export interface AccountSecrets {
  /** Returns the handle under which an account is offered to authenticators: 32 bytes, the same for one secret. */
  userHandleOf(accountId: string): string
  /** Returns a credential that no authenticator has, the same for one name and secret. */
  decoyOf(accountName: string): AllowedCredential
}

/** The lengths of credential ids that are common, the commonest more often. */
const idLengths = [16, 16, 20, 20, 20, 32, 32, 64] as const

export function createAccountSecrets(secrets: SecretKeys): AccountSecrets {
  // Older secrets are not asked: handles are kept with the passkeys, and decoys may change as passkeys do.
  const [{ bytes: handles }] = deriveSecrets(secrets, 'passkey-user-handle')
  const [{ bytes: decoys }] = deriveSecrets(secrets, 'passkey-decoy')
  return {
    userHandleOf: (accountId) => encodeBase64url(hmacSha256(handles, accountId)),
    decoyOf(accountName) {
      const part = (name: string): Uint8Array<ArrayBuffer> => hmacSha256(decoys, JSON.stringify([name, accountName]))
      const id = new Uint8Array(64)
      id.set(part('first'))
      id.set(part('last'), 32)
      const length = idLengths[(part('length')[0] ?? 0) % idLengths.length]
      return { id: encodeBase64url(id.subarray(0, length)), transports: ['hybrid', 'internal'] }
    },
  }
}
