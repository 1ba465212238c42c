import { requireOptions } from './require-options.ts'

/**
 * Gives the options of a factory back when it has each of them, for the factory to call before it reads any. Where no
 * compiler looks, a misspelt option would be left at its default, and nobody would know.
 *
 * @param factory its name, for the message.
 * @param options what it was given.
 * @param names the names that it has, as keys, so that a compiler misses none.
 * @throws TypeError naming the option that the factory does not have, and those that it has.
 *
 * @example
 * import { checkOptionNames } from '@latchkey/bytes'
 * type LinkOptions = { readonly ttlSeconds?: number }
 * const createLinks = (options: LinkOptions = {}) => checkOptionNames('createLinks', options, { ttlSeconds: true })
 * createLinks({ ttlSeconds: 60 }) // but { ttl: 60 } is a TypeError: createLinks has no option "ttl", …
 */
export function checkOptionNames<Options extends object>(
  factory: string,
  options: Options,
  names: { readonly [Name in keyof Required<Options>]: true },
): Options {
  const known = Object.keys(names) as (keyof Options & string)[]
  const unknown = Object.keys(requireOptions(factory, options, known)).find((name) => !Object.hasOwn(names, name))
  if (unknown === undefined) return options
  throw new TypeError(`${factory} has no option "${unknown}", only "${known.join('", "')}"`)
}
