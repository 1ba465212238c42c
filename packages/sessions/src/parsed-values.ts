/** How many values each of two generations holds. */
const perGeneration = 500

/**
 * Caches a parser of texts: a text that was parsed recently is not parsed again, because the record of an unchanged
 * session has the same text. The results are shared, so they must be frozen.
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
