/** How many values each of two generations holds. */
const perGeneration = 500

/**
 * Returns the same function of a text, which parses a text that was seen lately only once: a record that was not changed
 * has the text that it had. What the function returns is shared, so it must be frozen.
 */
export function createParsedValues<Parsed>(parse: (text: string) => Parsed): (text: string) => Parsed {
  let newer = new Map<string, Parsed>()
  let older: ReadonlyMap<string, Parsed> = new Map()
  return (text) => {
    const known = newer.get(text)
    if (known !== undefined) return known
    const parsed = older.get(text) ?? parse(text)
    if (newer.size >= perGeneration) {
      older = newer
      newer = new Map()
    }
    newer.set(text, parsed)
    return parsed
  }
}
