export type JsonObject = Readonly<Record<string, unknown>>

// Used on valid JSON only, where a string followed by a colon is the name of a member.
const token = /"[^"\\]*(?:\\.[^"\\]*)*"(?<colon>[ \t\n\r]*:)?|[{}]/g
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses a JSON object in UTF-8. Returns `null` for any other value, for duplicate member names (RFC 7515 §4: parsers
 * differ in which of the two they return, which is an attack), and for a member named `__proto__`. The objects have no
 * prototype, so a member missing in the text is undefined, whatever its name. Objects and lists are frozen.
 */
export function parseStrictObject(bytes: Uint8Array): JsonObject | null {
  try {
    const text = decoder.decode(bytes)
    const value: unknown = JSON.parse(text)
    if (!isObject(value) || hasForbiddenNames(text, value)) return null
    return isFlat(text) ? seal(value) : sealAll(value)
  } catch {
    return null // not UTF-8, not JSON, or nested deeper than the engine allows
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether the object contains no other object and no list. Also false if a string contains a bracket. */
function isFlat(text: string): boolean {
  return text.indexOf('{') === text.lastIndexOf('{') && !text.includes('[')
}

function seal<T extends object>(parsed: T): T {
  return Object.freeze(Array.isArray(parsed) ? parsed : Object.setPrototypeOf(parsed, null))
}

/** Not by recursion: the text decides the depth. */
function sealAll<T extends object>(parsed: T): T {
  const open: object[] = [parsed]
  for (let value = open.pop(); value; value = open.pop()) {
    for (const one of Object.values(seal(value))) if (typeof one === 'object' && one !== null) open.push(one)
  }
  return parsed
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
 * Returns whether the text has as many members as the object has names: then no name is duplicate or nested. Only for a
 * text without escapes and white space: there a quote before a colon closes a name, or opens a string that starts with
 * a colon, which adds one to the count.
 */
function hasAsManyMembers(text: string, value: JsonObject): boolean {
  if (notPlain.test(text)) return false
  let count = 0
  for (let index = text.indexOf('":'); index >= 0; index = text.indexOf('":', index + 2)) count++
  return count === Object.keys(value).length
}

/** A text that equals what the engine writes has no duplicate members. */
function isAsWritten(text: string, value: JsonObject): boolean {
  return !text.includes('__proto__') && JSON.stringify(value) === text
}

function addName(names: Set<unknown> | undefined, found: string): boolean {
  const name: unknown = JSON.parse(found.slice(0, found.lastIndexOf('"') + 1))
  if (name === '__proto__' || names?.has(name)) return false
  names?.add(name)
  return true
}
