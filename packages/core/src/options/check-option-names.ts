import { nearestName } from './nearest-name.ts'

/**
 * The members of a set of stores. A factory that takes one of these also accepts the whole set, or the set spread into
 * its options.
 */
const storeNames: ReadonlySet<string> = new Set([
  ...['accounts', 'audit', 'counters', 'documents', 'lockouts', 'records'],
  ...['check', 'close', 'isInMemory', 'migrate', 'migrationSql'],
])

/**
 * Returns the options of a factory if they are an object without unknown names. Call it before the first option is
 * read: in plain JavaScript, a misspelt option would otherwise be ignored and its default apply.
 *
 * @param factory its name, for the message.
 * @param options the options that it was called with.
 * @param names the names of its options, as keys, so that the compiler finds a missing name.
 * @param group the path of these options in the options of the factory, `''` for its own. With a group, the members of a
 * set of stores are unknown names.
 * @throws TypeError naming the unknown option, and the nearest known one.
 */
export function checkOptionNames<Options extends object>(
  factory: string,
  options: Options,
  names: { readonly [Name in keyof Required<Options>]: true },
  group?: string,
): Options {
  const known = Object.keys(names)
  const path = (name: string): string => (group ? `${group}.${name}` : name)
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`${group ? `"${group}"` : factory} takes an object with ${quoted(known)}`)
  }
  const takesStores = group === undefined && known.some((name) => storeNames.has(name))
  const unknown = Object.keys(options).find(
    (name) => !Object.hasOwn(names, name) && !(takesStores && storeNames.has(name)),
  )
  if (unknown === undefined) return options
  const nearest = nearestName(unknown, known)
  throw new TypeError(
    nearest === null
      ? `${factory} has no option "${path(unknown)}", only ${quoted(known.map(path))}`
      : `${factory} has no option "${path(unknown)}". Did you mean "${path(nearest)}"?`,
  )
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}
