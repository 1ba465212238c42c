/** Throws unless the condition holds, which every runner reports as a failure. */
export function holds(condition: boolean, rule: string): void {
  if (!condition) throw new Error(rule)
}

/** Throws unless both are the same data as far as JSON can express it, with members in any order. */
export function same(actual: unknown, expected: unknown, rule: string): void {
  const [left, right] = [describeData(actual), describeData(expected)]
  if (left !== right) throw new Error(`${rule}: expected ${shorten(right)}, got ${shorten(left)}`)
}

function describeData(data: unknown): string {
  return (
    JSON.stringify(data, (_name, member: unknown) => (isPlain(member) ? sortMembers(member) : member)) ?? 'undefined'
  )
}

function isPlain(member: unknown): member is object {
  return typeof member === 'object' && member !== null && !Array.isArray(member)
}

function sortMembers(members: object): unknown {
  const sorted = Object.entries(members).sort(([left], [right]) => (left < right ? -1 : 1))
  // As a list, so that a member named `__proto__` is kept.
  return sorted.map(([name, member]) => [name, member])
}

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text
}
