const maximumLength = 100
// Control characters, line separators, lone surrogates, and what formats without being seen: marks that turn the
// direction of text around, zero-width space, soft hyphen. Two joiners stay: Persian and the scripts of India need them.
const refused = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/u
// Some letters and symbols have nothing to see, too: the Hangul fillers, the blank Braille pattern.
const visible = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u

/** Gives a name without white space around it and in NFC, or `null`: blank, too long, or able to disturb a display. */
export function canonicalName(text: string): string | null {
  if (typeof text !== 'string' || text.length > 4 * maximumLength) return null
  const name = text.trim().normalize('NFC')
  return [...name].length <= maximumLength && visible.test(name) && !refused.test(name) ? name : null
}
