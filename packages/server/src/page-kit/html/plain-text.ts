/** Returns an untrusted text for display: without invisible characters, and cut to `longest` characters. */
export function plainText(text: string, longest: number): string {
  // Cut first, so that the work is bounded. The removed characters are invisible, or change the reading of their
  // surroundings.
  const characters = [
    ...text
      .slice(0, 4 * longest)
      .toWellFormed()
      .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim(),
  ]
  return characters.length > longest ? `${characters.slice(0, longest).join('')}…` : characters.join('')
}
