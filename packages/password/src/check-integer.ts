/** @throws TypeError naming the option, when the value is no integer of the range. */
export function checkInteger(name: string, value: number, minimum: number, maximum: number): number {
  if (!Number.isInteger(value)) throw new TypeError(`"${name}" must be an integer`)
  if (value < minimum) throw new TypeError(`"${name}" must be at least ${minimum}`)
  if (value > maximum) throw new TypeError(`"${name}" must be at most ${maximum}`)
  return value
}
