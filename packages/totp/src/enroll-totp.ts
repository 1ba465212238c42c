import { randomBytes, randomToken } from '@latchkey/bytes'
import { writeOtpauthUri } from './otpauth-uri.ts'
import { drawQrCode } from './qr-code-svg.ts'
import type { Totp } from './totp.ts'
import type { TotpContext } from './totp-context.ts'

/** 160 bits, as RFC 4226 §4 recommends. */
const secretLength = 20
const idBytes = 16

export async function enrollTotp(
  { enrollmentMs, issuer, now, pending, qrCodeTitle, secrets }: TotpContext,
  accountId: string,
  { accountName, binding }: { readonly accountName: string; readonly binding: string | null },
): ReturnType<Totp['enroll']> {
  const bytes = randomBytes(secretLength)
  const { base32, uri } = writeOtpauthUri({ issuer, accountName, secret: bytes })
  const secret = await secrets.seal(accountId, bytes)
  const value = { secret, binding, expiresAt: now() + enrollmentMs, failures: 0 }
  await pending.put(accountId, accountId, (current) => ({
    ...value,
    id: current ? current.value.id : randomToken(idBytes),
  }))
  return { secret: base32, otpauthUri: uri, qrCodeSvg: drawQrCode(uri, qrCodeTitle) }
}

/**
 * RFC 4226 §4 (R6) requires at least 128 bits; HMAC-SHA-1 hashes keys above 64 bytes, so longer secrets add no
 * strength.
 */
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
  const value = { secret: sealed, step: 0, failures: 0, createdAt: now(), lastUsedAt: null }
  return (await active.insert(accountId, accountId, value)) !== null
}
