import { decodeBase64 } from '../base64.ts'

/** The parts of a PHC string: `$<id>[$v=<version>][$<name>=<value>,…]$<salt>$<hash>`. */
export interface PhcParts {
  readonly version: number | null
  /** The parameters as written: names in their order, values as text. */
  readonly parameters: readonly (readonly [name: string, value: string])[]
  readonly salt: Uint8Array
  readonly hash: Uint8Array
}

/** Returns the parts of a PHC string after its id, or `null` if it is not canonical or lacks a part. */
export function readPhc(fields: readonly string[]): PhcParts | null {
  const hasVersion = fields[0]?.startsWith('v=') ?? false
  const version = hasVersion ? readInteger(fields[0]?.slice(2) ?? '') : null
  const [parameterText = '', saltText = '', hashText = '', ...more] = hasVersion ? fields.slice(1) : fields
  const parameters = readParameters(parameterText)
  const salt = decodeBase64(saltText)
  const hash = decodeBase64(hashText)
  if (!parameters || !salt || !hash || more.length > 0 || (hasVersion && version === null)) return null
  return { version, parameters, salt, hash }
}

/** Returns `name=value` pairs, or `null` when one is malformed or stands twice. */
export function readParameters(text: string): [name: string, value: string][] | null {
  const pairs = text.split(',').map((pair) => /^([a-z0-9-]{1,32})=([A-Za-z0-9/+._=-]*)$/.exec(pair))
  const parameters: [string, string][] = []
  for (const pair of pairs) {
    if (!pair || parameters.some(([name]) => name === pair[1])) return null
    parameters.push([pair[1] ?? '', pair[2] ?? ''])
  }
  return parameters
}

/** Returns the numbers of parameters that have exactly these names in this order, or `null`. */
export function readNumbers<Name extends string>(
  parameters: readonly (readonly [name: string, value: string])[],
  names: readonly Name[],
): Record<Name, number> | null {
  if (parameters.length !== names.length) return null
  const numbers: Partial<Record<Name, number>> = {}
  for (const [index, name] of names.entries()) {
    const [found, value] = parameters[index] ?? []
    const number = found === name && value !== undefined ? readInteger(value) : null
    if (number === null) return null
    numbers[name] = number
  }
  return numbers as Record<Name, number>
}

/** Returns a decimal integer below 2^31 without sign and leading zeros, or `null`: `12abc` is no number. */
export function readInteger(text: string): number | null {
  const number = /^(0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Number.NaN
  return number < 2 ** 31 ? number : null
}

/** Returns whether a number lies between two others, or is one of them. */
export function isWithin(number: number, minimum: number, maximum: number): boolean {
  return number >= minimum && number <= maximum
}
