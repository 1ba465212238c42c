const maximumLength = 254
const maximumLocalLength = 64
// RFC 5321 §4.1.2 without quoted strings and address literals, with the letters of all scripts (RFC 6531 §3.3).
const local = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u
const label = /^[\p{L}\p{N}]([\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u

/**
 * Returns the one spelling under which an address identifies an account, or `null` when it is not an address: without
 * white space around it, in NFC and in lower case, including the part before the @. Mail services do not give out two
 * mailboxes that differ in case only. Send mail to this spelling and never to the one that was entered: two texts that
 * become one account are then one mailbox as well.
 *
 * Quoted local parts, address literals and domains of one label are refused; at most 254 characters (RFC 5321
 * §4.5.3.1). Internationalised domains stay as they are written.
 *
 * @example
 * import { canonicalEmail } from '@latchkey/accounts'
 * canonicalEmail(' Reader@Example.com ') // 'reader@example.com'
 * canonicalEmail('reader@example') // null
 */
export function canonicalEmail(text: string): string | null {
  if (typeof text !== 'string' || text.length > 2 * maximumLength || !text.isWellFormed()) return null
  // Lower case can open what NFC has closed (U+0130), hence NFC again.
  const email = text.trim().normalize('NFC').toLowerCase().normalize('NFC')
  const at = email.lastIndexOf('@')
  return email.length <= maximumLength && isLocal(email.slice(0, at)) && isDomain(email.slice(at + 1)) ? email : null
}

function isLocal(text: string): boolean {
  return text.length <= maximumLocalLength && local.test(text)
}

function isDomain(text: string): boolean {
  const labels = text.split('.')
  return labels.length >= 2 && labels.every((part) => label.test(part))
}
