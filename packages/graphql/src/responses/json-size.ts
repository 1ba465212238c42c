/**
 * Returns whether the JSON of a value has more bytes than the limit. It counts without writing the JSON, and stops at
 * the limit.
 *
 * @throws the error of a `toJSON`.
 */
export function isJsonLonger(value: unknown, limitBytes: number): boolean {
  // Most answers are far below the limit, even with the maximum of bytes for each character.
  return countDown(value, limitBytes, mostBytesOf) < 0 && countDown(value, limitBytes, bytesOfText) < 0
}

/** Returns the number of UTF-8 bytes of a text, escaped as in JSON, without its quotes. */
function bytesOfText(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) bytes += moreBytesOf(text.charCodeAt(index), text, index)
  return bytes
}

type CountText = (text: string) => number

/** The bytes of an escape like `\u0000`. */
const mostBytesOfUnit = 6
const mostBytesOf: CountText = ({ length }) => length * mostBytesOfUnit
const mostBytesOfNumber = 24

/** Returns the remaining bytes; below 0 the limit is exceeded, and the rest was not counted. */
function countDown(value: unknown, left: number, count: CountText): number {
  if (typeof value === 'string') return value.length > left ? -1 : left - count(value) - 2
  if (typeof value === 'number')
    return left - (count === mostBytesOf ? mostBytesOfNumber : JSON.stringify(value).length)
  if (typeof value !== 'object' || value === null) return left - (value === false ? 5 : 4)
  const { toJSON } = value as { readonly toJSON?: unknown }
  if (typeof toJSON === 'function') return countDown(toJSON.call(value, ''), left, count)
  return Array.isArray(value) ? countList(value, left, count) : countMembers(value, left, count)
}

function countList(list: readonly unknown[], left: number, count: CountText): number {
  let rest = left - Math.max(2, list.length + 1)
  for (const item of list) {
    if (rest < 0) return rest
    rest = countDown(item, rest, count)
  }
  return rest
}

function countMembers(members: object, left: number, count: CountText): number {
  // Two braces and, for each member, two quotes, a colon and a comma, except after the last.
  let rest = left - 1
  let isEmpty = true
  for (const name of Object.keys(members)) {
    const member = (members as Readonly<Record<string, unknown>>)[name]
    if (member === undefined) continue
    if (rest < 0) return rest
    isEmpty = false
    rest = countDown(member, rest - count(name) - 4, count)
  }
  return isEmpty ? left - 2 : rest
}

/** Returns the bytes of a UTF-16 unit beyond the first. */
function moreBytesOf(unit: number, text: string, index: number): number {
  if (unit < 0x20) return isShort(unit) ? 1 : 5
  if (unit === 0x22 || unit === 0x5c) return 1
  if (unit < 0x80) return 0
  if (unit < 0x800) return 1
  if (unit < 0xd800 || unit > 0xdfff) return 2
  // Half of a pair of four bytes; a lone surrogate is escaped.
  return isPaired(unit, text, index) ? 1 : 5
}

/** `\b`, `\t`, `\n`, `\f`, `\r`. */
function isShort(unit: number): boolean {
  return unit >= 0x08 && unit <= 0x0d && unit !== 0x0b
}

function isPaired(unit: number, text: string, index: number): boolean {
  const other = text.charCodeAt(unit < 0xdc00 ? index + 1 : index - 1)
  return unit < 0xdc00 ? other >= 0xdc00 && other <= 0xdfff : other >= 0xd800 && other <= 0xdbff
}
