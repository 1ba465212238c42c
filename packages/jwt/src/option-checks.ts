/** @throws TypeError unless the option is a whole number of seconds within the bounds. */
export function checkSeconds(value: number, option: string, min: number, max: number = 2 ** 31): void {
  if (Number.isInteger(value) && value >= min && value <= max) return
  throw new TypeError(`"${option}" must be a whole number of seconds from ${min} to ${max}`)
}

/** @throws TypeError unless the option is a text that is not empty. */
export function checkText(value: unknown, option: string): void {
  if (typeof value !== 'string' || value === '') throw new TypeError(`"${option}" must be a text that is not empty`)
}
