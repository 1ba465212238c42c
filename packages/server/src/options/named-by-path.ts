/**
 * Reads options by another package, and names them in its messages by their paths here.
 *
 * @param paths the path of each name that differs.
 */
export function namedByPath<T>(paths: Readonly<Record<string, string>>, read: () => T): T {
  const pathOf = (name: string): string => (Object.hasOwn(paths, name) && paths[name]) || name
  return explained(
    (message) =>
      message
        .replace(/(?<=")[a-zA-Z]+(?=[".])/g, pathOf)
        .replace(unknownOption, 'createServer has no option "$1.$2"')
        .replace(suggestion, '$1.$2". Did you mean "$1.$3"'),
    read,
  )
}

const unknownOption = /^"([\w.]+)" has no option "(\w+)"/
const suggestion = /(?<=^createServer has no option ")([\w.]+)\.(\w+)"\. Did you mean "(\w+)"/

/** Reads a group of options by another package, and prefixes its messages with the path of the group. */
export function namedWithin<T>(path: string, read: () => T): T {
  return explained((message) => `"${path}": ${message}`, read)
}

function explained<T>(explain: (message: string) => string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause
    throw new TypeError(explain(cause.message), { cause })
  }
}
