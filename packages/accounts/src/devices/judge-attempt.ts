import type { Attempt, JudgedAttempt } from '../attempt.ts'
import type { DeviceAccount, KnownDevices } from './known-devices.ts'

/** Judged where there is no account, so that the time is the same. No token is for it: every account has an id. */
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

/** The same where the account was not read: it is, where a device is shown that it may know. */
export async function judgeUnread(
  judge: Judge,
  attempt: Attempt,
  read: () => Promise<DeviceAccount | null>,
): Promise<JudgedAttempt> {
  const isShown = judge.knownDevices !== null && attempt.deviceToken !== null
  return judgeAttempt(judge, attempt, isShown ? await read() : null)
}

/** The same for what is decided already: an account that cannot be read knows no device, and the decision stands. */
export async function judgeEnded(
  judge: Judge & { readonly accounts: { get(id: string): Promise<DeviceAccount | null> } },
  attempt: Attempt,
  accountId: string,
): Promise<JudgedAttempt> {
  return judgeUnread(judge, attempt, () => judge.accounts.get(accountId).catch(() => null))
}
