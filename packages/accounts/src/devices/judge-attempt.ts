import type { Attempt, JudgedAttempt } from '../attempt.ts'
import type { DeviceAccount, KnownDevices } from './known-devices.ts'

/**
 * Looked up if no account was found, so that the time is the same. No token matches it, because every account has an
 * id.
 */
const noAccount: DeviceAccount = { id: '', epoch: 0, passwordHash: null }

interface Judge {
  readonly knownDevices: KnownDevices | null
}

/** Returns the attempt with the device as the account knows it, and without the token that showed it. */
export function judgeAttempt(
  { knownDevices }: Judge,
  { address, deviceToken, channel, requestId, userAgent = null, locale = null, impersonatorId }: Attempt,
  account: DeviceAccount | null,
): JudgedAttempt {
  const device = knownDevices?.recognize(deviceToken, account ?? noAccount) ?? null
  const by = impersonatorId === undefined ? {} : { impersonatorId }
  return { address, device, channel, requestId, userAgent, locale, ...by }
}

/**
 * Looks up the device without a loaded account. It reads the account only if the device presents a token that may
 * match.
 */
export async function judgeUnread(
  judge: Judge,
  attempt: Attempt,
  read: () => Promise<DeviceAccount | null>,
): Promise<JudgedAttempt> {
  const isShown = judge.knownDevices !== null && attempt.deviceToken !== null
  return judgeAttempt(judge, attempt, isShown ? await read() : null)
}

/**
 * Looks up the device after a decision. If the account cannot be read, the device is unknown and the decision remains.
 */
export async function judgeEnded(
  judge: Judge & { readonly accounts: { get(id: string): Promise<DeviceAccount | null> } },
  attempt: Attempt,
  accountId: string,
): Promise<JudgedAttempt> {
  return judgeUnread(judge, attempt, () => judge.accounts.get(accountId).catch(() => null))
}
