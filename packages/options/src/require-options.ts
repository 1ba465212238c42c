/**
 * Gives the options of a factory back when they are an object, for the factory to call before it reads any: called with
 * nothing, it would otherwise fail over a property that it could not destructure.
 *
 * @param factory its name, for the message.
 * @param options what it was given.
 * @param names the options that it takes, for the message: at least those that are required.
 * @throws TypeError that names the factory and those options.
 *
 * @example
 * import { requireOptions } from '@latchkey/options'
 * type LinkOptions = { readonly secret: string }
 * const createLinks = (options: LinkOptions) => requireOptions('createLinks', options, ['secret'])
 * createLinks({ secret: 'otter' }) // but createLinks() is a TypeError: createLinks takes an object with "secret"
 */
export function requireOptions<Options extends object>(
  factory: string,
  options: Options,
  names: readonly (keyof Options & string)[],
): Options {
  if (typeof options === 'object' && options !== null) return options
  throw new TypeError(`${factory} takes an object with ${names.map((name) => `"${name}"`).join(', ')}`)
}
