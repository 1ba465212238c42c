/** Returns a part that may be omitted; it is recognized by a method. */
export function readPart<Part extends object>(
  name: string,
  part: Part | undefined,
  method: keyof Part,
): Part | undefined {
  if (part === undefined || typeof part?.[method] === 'function') return part
  throw new TypeError(`"${name}" must have "${String(method)}", or be omitted`)
}
