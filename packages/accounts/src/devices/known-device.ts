import type { DeviceAccount, DeviceTokens } from './device-tokens.ts'

/** Judged where there is no account, so that the time is the same. No token is for it: every account has an id. */
const noAccount: DeviceAccount = { id: '', epoch: 0, passwordHash: null }

/** Whether the device has signed in to the account before. */
export function isKnownDevice(
  deviceTokens: DeviceTokens | null,
  account: DeviceAccount | null,
  token: string | null | undefined,
): boolean {
  return deviceTokens?.isKnown(token, account ?? noAccount) ?? false
}
