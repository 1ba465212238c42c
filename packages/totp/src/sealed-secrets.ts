import { createSealer, type SecretKeys } from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import { StoreError } from '@latchkey/store'

/** The secrets of authenticator apps at rest: a box opens for the account that it was sealed for. */
export interface SealedSecrets {
  seal(accountId: string, secret: Uint8Array): Promise<string>
  /** @throws StoreError `STORE_DATA_INVALID` when it does not open. */
  open(accountId: string, box: string): Promise<Uint8Array<ArrayBuffer>>
  /** Returns the box, or the secret sealed anew when an older key has sealed it. */
  renew(accountId: string, box: string, secret: Uint8Array): Promise<string>
}

export function createSealedSecrets(secrets: SecretKeys): SealedSecrets {
  const sealer = createSealer({ secrets: checkSecrets(secrets), purpose: 'totp-secret' })
  const current = `${secrets[0].id}.`
  return {
    seal: (accountId, secret) => sealer.seal(secret, accountId),
    async open(accountId, box) {
      const secret = await sealer.open(box, accountId)
      if (secret) return secret
      throw new StoreError(
        'STORE_DATA_INVALID',
        'a stored TOTP secret does not open: the secret that sealed it is not among those given, or its row was changed. Give the old secret as well, after the new one',
      )
    },
    renew: async (accountId, box, secret) => (box.startsWith(current) ? box : sealer.seal(secret, accountId)),
  }
}
