import { randomBytes } from '@latchkey/bytes'
import { writeOtpauthUri } from './otpauth-uri.ts'
import { drawQrCode } from './qr-code-svg.ts'
import type { TotpContext } from './totp-context.ts'

export interface EnrollOptions {
  /**
   * What the enrolment belongs to, such as the key of the session that began it: no other can confirm it.
   * @default null
   */
  readonly binding?: string | null
}

/** What an authenticator app needs. It is shown once: nothing returns it again. */
export interface Enrollment {
  /** The secret in base32, for those who type it. */
  readonly secret: string
  /** `otpauth://totp/…`: a link that opens the app on the same device. */
  readonly otpauthUri: string
  /** The link as a QR code: an `<svg>` to put into a page, dark on white in light and dark pages. */
  readonly qrCodeSvg: string
}

/** 160 bits, as RFC 4226 §4 recommends. */
const secretLength = 20

export async function enrollTotp(
  { enrollmentMs, issuer, now, pending, qrCodeTitle, secrets }: TotpContext,
  accountId: string,
  accountName: string,
  binding: string | null,
): Promise<Enrollment> {
  const bytes = randomBytes(secretLength)
  const { base32, uri } = writeOtpauthUri({ issuer, accountName, secret: bytes })
  const secret = await secrets.seal(accountId, bytes)
  await pending.put(accountId, { secret, binding, expiresAt: now() + enrollmentMs, failures: 0 })
  return { secret: base32, otpauthUri: uri, qrCodeSvg: drawQrCode(uri, qrCodeTitle) }
}

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
