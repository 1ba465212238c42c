/** A sent name with its value. */
export type Entry = readonly [name: string, value: string]

/** The parameters of a request, by name. */
export interface Parameters {
  /** Returns the value of a parameter, or `null`: omitted, empty (RFC 6749 §3.1), or sent more than once. */
  get(name: string): string | null
  /**
   * Returns every value of a parameter that may be repeated, for example `resource` (RFC 8707 §2), without empty
   * values.
   */
  all(name: string): readonly string[]
  /** Whether a parameter was sent more than once. */
  isRepeated(name: string): boolean
  /** The sent names without duplicates. */
  readonly names: readonly string[]
  /** All sent names and values, in order, to store them. */
  readonly entries: readonly Entry[]
}

/** More parameters than any valid request has. */
const mostParameters = 100

/**
 * Returns the parameters of a text in the form of `application/x-www-form-urlencoded`; `null`: there are more than a hundred.
 * A broken escape is read as plain characters, which no check accepts.
 */
export function parseParameters(text: string): Parameters | null {
  const entries = [...new URLSearchParams(text)]
  return entries.length <= mostParameters ? parametersFrom(entries) : null
}

/** Returns the parameters of entries. */
export function parametersFrom(entries: readonly Entry[]): Parameters {
  const values = new Map<string, string[]>()
  for (const [name, value] of entries) {
    const known = values.get(name)
    if (known) known.push(value)
    else values.set(name, [value])
  }
  return {
    get(name) {
      const known = values.get(name)
      return (known?.length === 1 && known[0]) || null
    },
    all: (name) => values.get(name)?.filter((value) => value !== '') ?? [],
    isRepeated: (name) => (values.get(name)?.length ?? 0) > 1,
    names: [...values.keys()],
    entries,
  }
}
