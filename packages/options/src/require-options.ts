/**
 * Returns the options of a factory when they are an object. To be called before the first option is read, so that a
 * call without options names the factory.
 *
 * @param factory its name, for the message.
 * @param options the options that it was called with.
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
