const maximumLength = 100
// Control characters, line separators, lone surrogates, and invisible formatting: marks that reverse the direction of
// text, zero-width space, soft hyphen. Two joiners are allowed: Persian and the scripts of India need them.
const isRefused = (name: string): boolean => /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/u.test(name)
// Some letters and symbols are invisible, too: the Hangul fillers, the blank Braille pattern.
const isVisible = (name: string): boolean =>
  /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u.test(name)

/** Returns a name without white space around it and in NFC, or `null`: blank, too long, or able to disturb a display. */
export function canonicalName(text: string): string | null {
  if (typeof text !== 'string' || text.length > 4 * maximumLength) return null
  const name = text.trim().normalize('NFC')
  return [...name].length <= maximumLength && isVisible(name) && !isRefused(name) ? name : null
}
