/** Compares two texts in a time that depends on their lengths only, not on where they differ. The lengths are not hidden. */
export function equalTexts(left: string, right: string): boolean {
  if (left.length !== right.length) return false
  let difference = 0
  for (let index = 0; index < left.length; index++) difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  return difference === 0
}
