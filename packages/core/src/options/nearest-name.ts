/** Longer names are not typing errors, and the cost of a comparison is the product of both lengths. */
const longest = 64

/** Returns the known name that an unknown one was probably meant to be, or `null`. */
export function nearestName(unknown: string, known: readonly string[]): string | null {
  if (unknown.length > longest) return null
  const judged = known
    .map((name) => ({ name, distance: distanceOf(unknown.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, distance }) => distance <= Math.ceil(Math.max(unknown.length, name.length) / 3))
    .sort((one, other) => one.distance - other.distance)
  return known.find((name) => isPartOf(unknown, name)) ?? judged[0]?.name ?? null
}

/** `ttl` for `ttlSeconds`: the unit was left out. */
function isPartOf(unknown: string, name: string): boolean {
  return unknown.length > 2 && name.toLowerCase().startsWith(unknown.toLowerCase())
}

/** The least number of letters to insert, drop or replace (Levenshtein). */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1]
    for (let index = 1; index <= other.length; index++) {
      const replaced = (row[index - 1] ?? 0) + (letter === other[index - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[index] ?? 0) + 1, (next[index - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
