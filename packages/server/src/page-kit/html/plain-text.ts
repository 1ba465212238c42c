/** Returns a text that others have chosen as it can be shown: without characters that are not seen, and not longer than that. */
export function plainText(text: string, longest: number): string {
  // Cut before it is looked through, so that the work is bounded too. What goes is not seen, or changes how what stands around
  // it is read.
  const characters = [
    ...text
      .slice(0, 4 * longest)
      .toWellFormed()
      .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim(),
  ]
  return characters.length > longest ? `${characters.slice(0, longest).join('')}…` : characters.join('')
}
