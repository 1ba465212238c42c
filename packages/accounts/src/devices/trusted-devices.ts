import { decodeBase64url, encodeBase64url, sha256 } from '@latchkey/bytes'
import { isSha256Of } from '@latchkey/bytes/internal'
import { createCredential, parseCredential, type RecordStore } from '@latchkey/store'
import { defineStoredShape, isStoredCount, isStoredText } from '@latchkey/store/internal'
import { insertFresh } from '../insert-fresh.ts'
import type { StoredAccount } from '../store/account-store.ts'

/** The part of an account that a trusted device depends on. */
type Trusting = Pick<StoredAccount, 'id' | 'epoch'>

/** Devices whose sign-ins by password need no second factor. A token alone does not sign in. */
export interface TrustedDevices {
  /** Returns a token for a device that has just presented both factors of an account, readable this once. */
  remember(account: Trusting): Promise<string>
  /**
   * Whether a token is valid for this account: it has not expired, and the account has not changed since. Each change
   * of a password, a factor, a role or the status invalidates it, and so does the revocation of all sessions.
   */
  recognize(text: string | null | undefined, account: Trusting): Promise<boolean>
}

interface StoredDevice {
  readonly secretHash: string
  readonly accountId: string
  readonly epoch: number
}

const shape = defineStoredShape<StoredDevice>({
  name: 'remembered device',
  members: { secretHash: isStoredText, accountId: isStoredText, epoch: isStoredCount },
})

const kind = 'device'
const dayMs = 86_400_000

export interface TrustedDevicesOptions {
  /** From the sign-in that trusts the device. */
  readonly days: number
  readonly records: RecordStore
  readonly now: () => number
  /** The version of stored values to write. */
  readonly storedVersion: () => number
}

export function createTrustedDevices({ days, records, now, storedVersion }: TrustedDevicesOptions): TrustedDevices {
  return {
    async remember({ id: accountId, epoch }) {
      const { key, secret, text } = createCredential(kind)
      const value: StoredDevice = { secretHash: encodeBase64url(sha256(secret)), accountId, epoch }
      const expiresAt = now() + days * dayMs
      await insertFresh(records, { key, expiresAt, value: shape.format(value, storedVersion()) })
      return text
    },
    async recognize(text, { id, epoch }) {
      const shown = parseCredential(kind, text ?? null)
      const record = shown && (await records.get(shown.key))
      if (!record) return false
      const value = shape.parse(record.value)
      const digest = decodeBase64url(value.secretHash)
      const isGenuine = digest !== null && isSha256Of(digest, shown.secret)
      return isGenuine && value.accountId === id && value.epoch === epoch
    },
  }
}
