const maximumLength = 254
const maximumLocalLength = 64
// RFC 5321 §4.1.2 without quoted strings and address literals, with the letters of all scripts (RFC 6531 §3.3).
const hasLocalForm = (text: string): boolean =>
  /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u.test(text)
// What a domain may consist of before it is mapped: letters of all scripts, the dots of UTS #46 §4.5, and the two joiners
// that some scripts need. Anything else a URL would strip, decode, or read as another part of it.
const isWrittenDomain = (text: string): boolean =>
  /^(?:(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}.\u3002\uff0e\uff61-]|[\u200c\u200d])+$/u.test(text)
const label = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/

/**
 * Returns the one spelling under which an address identifies an account, or `null` when it is not an address: without
 * white space around it, in NFC and in lower case, including the part before the @. Mail services do not give out two
 * mailboxes that differ in case only. Send mail to this spelling and never to the one that was entered: two texts that
 * become one account are then one mailbox as well.
 *
 * The domain is in the form that the DNS has: mapped by UTS #46, non-transitional, to ASCII. What a mail server would take
 * for one domain is one here, whether it was typed in another width, with another dot, or in Punycode.
 *
 * Quoted local parts, address literals, addresses of hosts and domains of one label are refused; at most 254 characters
 * (RFC 5321 §4.5.3.1).
 *
 * @example
 * import { canonicalEmail } from '@latchkey/accounts'
 * canonicalEmail(' Reader@Example.com ') // 'reader@example.com'
 * canonicalEmail('reader@bücher.example') // 'reader@xn--bcher-kva.example'
 * canonicalEmail('reader@example') // null
 */
export function canonicalEmail(text: string): string | null {
  if (typeof text !== 'string' || text.length > 2 * maximumLength || !text.isWellFormed()) return null
  // Lower case can open what NFC has closed (U+0130), hence NFC again.
  const written = text.trim().normalize('NFC').toLowerCase().normalize('NFC')
  const at = written.lastIndexOf('@')
  const localPart = written.slice(0, at)
  const domain = isLocal(localPart) ? toAsciiDomain(written.slice(at + 1)) : null
  const email = `${localPart}@${domain}`
  return domain !== null && email.length <= maximumLength ? email : null
}

function isLocal(text: string): boolean {
  return text.length <= maximumLocalLength && hasLocalForm(text)
}

/**
 * Every runtime maps the host of a URL (URL Standard §3.3). A runtime may leave an ASCII host unchanged, even invalid
 * Punycode, so a label that is not ASCII is put before the host.
 */
const before = { written: 'http://ü.', mapped: 'xn--tda.' }

function toAsciiDomain(text: string): string | null {
  const mapped = isWrittenDomain(text) ? (URL.parse(before.written + text)?.hostname ?? '') : ''
  const domain = mapped.slice(before.mapped.length)
  const labels = domain.split('.')
  return labels.length >= 2 && labels.every((part) => label.test(part)) ? domain : null
}
