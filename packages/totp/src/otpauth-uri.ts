import { Secret, TOTP } from 'otpauth/bare'

const longestIssuer = 64

/** More than any app shows. A QR code has an end. */
const longestName = 100

/** @throws TypeError when apps could not show it, or could not tell it from the name of the account. */
export function checkIssuer(issuer: string): string {
  const isShown = typeof issuer === 'string' && issuer.trim() !== '' && issuer.length <= longestIssuer
  if (isShown && !issuer.includes(':') && withoutInvisible(issuer) === issuer) return issuer
  throw new TypeError(
    `"issuer" must be a text of 1 to ${longestIssuer} characters, without a colon and without control characters`,
  )
}

/** Returns what an authenticator app reads: the key URI, and the secret in it. */
export function writeOtpauthUri(options: {
  readonly issuer: string
  readonly accountName: string
  readonly secret: Uint8Array<ArrayBuffer>
}): { readonly uri: string; readonly base32: string } {
  const { issuer, accountName } = options
  const secret = new Secret({ buffer: options.secret.buffer })
  const totp = new TOTP({
    issuer,
    label: nameOf(accountName) || issuer,
    secret,
    algorithm: 'SHA1',
    digits: 6,
    period: 30,
  })
  return { uri: totp.toString(), base32: secret.base32 }
}

function nameOf(accountName: string): string {
  if (typeof accountName !== 'string') throw new TypeError('"accountName" must be a text')
  return [...withoutInvisible(accountName.slice(0, 2 * longestName))].slice(0, longestName).join('').trim()
}

/** Removes characters that no app shows: controls, unpaired surrogates and controls of the writing direction. */
function withoutInvisible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\p{Bidi_Control}]/gu, '')
}
