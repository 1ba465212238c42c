export type JsonObject = Readonly<Record<string, unknown>>

// Only ever used on text that is valid JSON, where a string followed by a colon is a member's name.
const token = /"[^"\\]*(?:\\.[^"\\]*)*"(?<colon>[ \t\n\r]*:)?|[{}]/g
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Gives the object that UTF-8 bytes write down, or `null` when they are no JSON object, hold a member twice (RFC 7515 §4:
 * parsers differ in which of the two they take, and that difference is an attack), or a member named `__proto__`.
 */
export function parseStrictObject(bytes: Uint8Array): JsonObject | null {
  try {
    const text = decoder.decode(bytes)
    const value: unknown = JSON.parse(text)
    if (!isObject(value) || hasForbiddenNames(text, value)) return null
    return value
  } catch {
    return null // no UTF-8, no JSON, or nested deeper than the engine goes
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasForbiddenNames(text: string, value: JsonObject): boolean {
  if (hasAsManyMembers(text, value) || isAsWritten(text, value)) return false
  const open: Set<unknown>[] = []
  for (const { 0: found, groups } of text.matchAll(token)) {
    if (found === '{') open.push(new Set())
    else if (found === '}') open.pop()
    else if (groups?.colon && !addName(open.at(-1), found)) return true
  }
  return false
}

const notPlain = /[\\ \t\n\r]|__proto__/

/**
 * As many members as the object has names: none stands twice, and none inside another. Only in a text without escapes and
 * white space: there a quote before a colon ends a name, or begins a text whose first character is the colon, and then it
 * is counted as one too many.
 */
function hasAsManyMembers(text: string, value: JsonObject): boolean {
  if (notPlain.test(text)) return false
  let count = 0
  for (let index = text.indexOf('":'); index >= 0; index = text.indexOf('":', index + 2)) count++
  return count === Object.keys(value).length
}

/** A text that the engine itself would have written has no member twice. */
function isAsWritten(text: string, value: JsonObject): boolean {
  return !text.includes('__proto__') && JSON.stringify(value) === text
}

function addName(names: Set<unknown> | undefined, found: string): boolean {
  const name: unknown = JSON.parse(found.slice(0, found.lastIndexOf('"') + 1))
  if (name === '__proto__' || names?.has(name)) return false
  names?.add(name)
  return true
}
