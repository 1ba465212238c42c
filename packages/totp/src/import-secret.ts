import type { TotpContext } from './totp-context.ts'

/** RFC 4226 §4 (R6) wants 128 bits at least; what is longer than a block of SHA-1 adds nothing. */
const secretLengths = { least: 16, most: 64 }

/** @throws TypeError when the secret is no `Uint8Array` of 16 to 64 bytes. */
export async function importTotpSecret(
  { active, now, secrets }: TotpContext,
  accountId: string,
  secret: Uint8Array,
): Promise<boolean> {
  const { least, most } = secretLengths
  if (!(secret instanceof Uint8Array && secret.length >= least && secret.length <= most)) {
    throw new TypeError(`"secret" must be a Uint8Array of ${least} to ${most} bytes`)
  }
  const sealed = await secrets.seal(accountId, secret)
  return active.add(accountId, { secret: sealed, step: 0, createdAt: now(), lastUsedAt: null })
}
