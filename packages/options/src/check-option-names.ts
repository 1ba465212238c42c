import { nearestName } from './nearest-name.ts'

/**
 * What a set of stores may consist of. A factory that takes one of these may be handed the whole set, or have it spread
 * into its options: the others are not misspelt.
 */
const storeNames: ReadonlySet<string> = new Set([
  ...['accounts', 'audit', 'broadcast', 'clients', 'counters', 'factors', 'grants', 'identities', 'keys', 'links'],
  ...['lockouts', 'profiles', 'records', 'roles'],
  ...['check', 'close', 'migrate', 'migrationSql'],
])

/**
 * Returns the options of a factory when they are an object without a name that the factory does not have. To be called
 * before the first option is read: a misspelt one would stay at its default, and no compiler looks at JavaScript.
 *
 * @param factory its name, for the message.
 * @param options what it was called with.
 * @param names the names that it has, as keys, so that the compiler misses none.
 * @throws TypeError that names the option that the factory does not have, and the one that was probably meant.
 *
 * @example
 * import { checkOptionNames } from '@latchkey/options'
 * type LinkOptions = { readonly ttlSeconds?: number }
 * const createLinks = (options: LinkOptions = {}) => checkOptionNames('createLinks', options, { ttlSeconds: true })
 * createLinks({ ttlSeconds: 60 }) // { ttlSecond: 60 } is a TypeError: createLinks has no option "ttlSecond". Did you mean "ttlSeconds"?
 */
export function checkOptionNames<Options extends object>(
  factory: string,
  options: Options,
  names: { readonly [Name in keyof Required<Options>]: true },
): Options {
  const known = Object.keys(names)
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`${factory} takes an object with ${quoted(known)}`)
  }
  const takesStores = known.some((name) => storeNames.has(name))
  const unknown = Object.keys(options).find(
    (name) => !Object.hasOwn(names, name) && !(takesStores && storeNames.has(name)),
  )
  if (unknown === undefined) return options
  const nearest = nearestName(unknown, known)
  throw new TypeError(
    nearest === null
      ? `${factory} has no option "${unknown}", only ${quoted(known)}`
      : `${factory} has no option "${unknown}". Did you mean "${nearest}"?`,
  )
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}
