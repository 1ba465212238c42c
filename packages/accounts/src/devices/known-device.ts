import type { DeviceAccount, DeviceTokens } from './device-tokens.ts'

/** Judged like an account where there is none, so that the time is the same. */
const noAccount: DeviceAccount = { id: '', epoch: 0, passwordHash: null }

/** Whether the device has signed in to the account before. */
export function isKnownDevice(
  deviceTokens: DeviceTokens | null,
  account: DeviceAccount | null,
  token: string | null | undefined,
): boolean {
  const isKnown = deviceTokens?.isKnown(token, account ?? noAccount) ?? false
  return isKnown && account !== null
}
