import { type Declaration, publicEntries } from '../house/declarations.ts'
import type { House } from '../house/house.ts'

/** Every public name has a doc comment, and every public function an example. */
export function checkDocComments(house: House): string[] {
  return house.packages.flatMap((one) =>
    publicEntries(one).flatMap(({ specifier, declarations, lost }) => [
      ...lost.map((name) => `${specifier}: ${name} has no declaration of its own`),
      ...declarations.flatMap(checkDeclaration),
    ]),
  )
}

/** Requires a comment of a declaration. A type needs its own comment only if none of its fields has a comment. */
function checkDeclaration({ name, kind, doc, path, signature }: Declaration): string[] {
  const explained = doc !== null && doc.text !== ''
  if (kind === 'type') return explained || signature.includes('/**') ? [] : [`${path}: ${name} is not explained`]
  if (!explained) return [`${path}: ${name} has no doc comment`]
  const shown = kind !== 'function' || doc.tags.some((tag) => tag.name === 'example')
  return shown ? [] : [`${path}: the doc comment of ${name} has no @example`]
}
