import { type Declaration, declarationIn } from './declarations.ts'
import { flatSignature } from './flat-signature.ts'
import type { Package } from './house.ts'

/** `Inline<Group>`, or `Inline<Group<P>>`: the compiler has the members of the interface in its place. */
const inlined = /\bInline<(\w+)(<[^<>]*>)?>/g

/** Returns the signature as users see it: with the members of each inlined interface, which may be in another file. */
export function inlinedSignature(one: Package, { name, signature, path }: Declaration): string {
  return signature.replace(inlined, (_text, group: string, given = '', position: number) => {
    const declaration = declarationIn(one, path, group)
    const parts =
      declaration && /^interface \w+(<[^>]*>)?(?:\s+extends ([^{]+?))? (\{[\s\S]*\})$/.exec(declaration.signature)
    if (!parts) throw new TypeError(`${path}: ${name} can inline interfaces of its package only, not ${group}`)
    const [, parameters = '', base, members = ''] = parts
    if (parameters.replace(/ extends \w+/g, '') !== given)
      throw new TypeError(`${path}: ${name} must inline ${group}${given} with the names of its type parameters`)
    const [margin] = /^ */.exec(signature.slice(0, position).split('\n').at(-1) ?? '') ?? []
    const shown = inlinedSignature(one, { ...declaration, signature: members }).replaceAll('\n', `\n${margin}`)
    return base === undefined ? shown : `${base} & ${shown}`
  })
}

/** Returns the declarations of the package that a declaration mentions, directly or through inlined types. */
export function mentionedBy(one: Package, { signature, path }: Declaration): readonly Declaration[] {
  const named = (name: string) => declarationIn(one, path, name) ?? []
  const groups = [...signature.matchAll(inlined)].flatMap(([, group = '']) => named(group))
  const mentioned = flatSignature(signature.replace(inlined, '{}')).mentioned.flatMap(named)
  return [...mentioned, ...groups.flatMap((group) => mentionedBy(one, group))]
}
