import { deriveSecrets, encodeBase64url, hmacSha256, type SecretKeys } from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import { StoreError } from '@latchkey/store'

/** The MACs that are stored instead of recovery codes. */
export interface RecoveryCodeMacs {
  /** The id of the key for new codes. */
  readonly keyId: string
  /**
   * Returns the MAC of a code of an account.
   * @throws StoreError `STORE_DATA_INVALID` when the key is not among those given.
   */
  macOf(keyId: string, accountId: string, code: Uint8Array): string
}

export function createRecoveryCodeMacs(secrets: SecretKeys): RecoveryCodeMacs {
  const keys = deriveSecrets(checkSecrets(secrets), 'recovery-codes')
  return {
    keyId: keys[0].id,
    macOf(keyId, accountId, code) {
      const key = keys.find(({ id }) => id === keyId)
      if (key) return encodeBase64url(hmacSha256(key.bytes, messageOf(accountId, code)))
      throw new StoreError(
        'STORE_DATA_INVALID',
        'stored recovery codes cannot be checked: their secret is not among those given. Give the old secret as well, after the new one',
      )
    },
  }
}

/** The code has a fixed length, so that two different pairs of code and account never make the same message. */
function messageOf(accountId: string, code: Uint8Array): Uint8Array {
  const account = new TextEncoder().encode(accountId)
  const message = new Uint8Array(code.length + account.length)
  message.set(code)
  message.set(account, code.length)
  return message
}
