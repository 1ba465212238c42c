/** What a request was sent with, by name. */
export interface Parameters {
  /** Returns the value of a parameter, or `null`: omitted, empty (RFC 6749 §3.1), or sent more than once. */
  get(name: string): string | null
  /** Returns every value of a parameter that may be repeated, such as `resource` (RFC 8707 §2), without empty ones. */
  all(name: string): readonly string[]
  /** Whether a parameter was sent more than once. */
  isRepeated(name: string): boolean
  /** Every name that was sent, once each. */
  readonly names: readonly string[]
}

/** More than any request has: each further one would only cost time. */
const mostParameters = 100

/**
 * Returns the parameters of a text in the form of `application/x-www-form-urlencoded`, or `null` for more than a hundred.
 * A broken escape is read as the characters that it consists of, which no check accepts.
 */
export function parseParameters(text: string): Parameters | null {
  const values = new Map<string, string[]>()
  let count = 0
  for (const [name, value] of new URLSearchParams(text)) {
    if (++count > mostParameters) return null
    values.set(name, [...(values.get(name) ?? []), value])
  }
  return parametersOf(values)
}

/** Returns parameters that were read before, as `entriesOf` has returned them. */
export function parametersFrom(entries: readonly (readonly [name: string, value: string])[]): Parameters {
  const values = new Map<string, string[]>()
  for (const [name, value] of entries) values.set(name, [...(values.get(name) ?? []), value])
  return parametersOf(values)
}

/** Returns names and values to store, repeated ones too. */
export function entriesOf(parameters: Parameters): readonly (readonly [name: string, value: string])[] {
  return parameters.names.flatMap((name) => parameters.all(name).map((value) => [name, value] as const))
}

function parametersOf(values: ReadonlyMap<string, readonly string[]>): Parameters {
  return {
    get(name) {
      const [value, ...others] = values.get(name) ?? []
      return value && others.length === 0 ? value : null
    },
    all: (name) => (values.get(name) ?? []).filter((value) => value !== ''),
    isRepeated: (name) => (values.get(name)?.length ?? 0) > 1,
    names: [...values.keys()],
  }
}
