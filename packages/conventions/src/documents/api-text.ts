import { type Declaration, type PublicEntry, publicEntries } from '../house/declarations.ts'
import { flatSignature } from '../house/flat-signature.ts'
import type { Package } from '../house/house.ts'
import { inlinedSignature, mentionedBy } from '../house/inlined.ts'

/**
 * Returns the types that users of a package compile against, as text to compare: each public name by subpath export
 * with its signature and members, then the unexported declarations that the public names use.
 */
export function apiText(one: Package): string {
  const entries = publicEntries(one)
  const hidden = hiddenBehind(
    one,
    entries.flatMap(({ declarations }) => declarations),
  )
  const behind = { specifier: 'not exported', declarations: hidden, typesOnly: new Set<Declaration>() }
  return [...entries, ...(hidden.length > 0 ? [behind] : [])].map((entry) => section(one, entry)).join('\n')
}

function section(of: Package, { specifier, declarations, typesOnly }: Omit<PublicEntry, 'lost'>): string {
  const sorted = [...declarations].sort((left, right) => (left.name < right.name ? -1 : 1))
  const texts = sorted.map((one) => `  ${typesOnly.has(one) ? 'type of ' : ''}${described(inlinedSignature(of, one))}`)
  return `${specifier}\n${[...new Set(texts)].join('')}`
}

function described(signature: string): string {
  const { head, members } = flatSignature(signature)
  return `${head}\n${members.map((member) => `    ${member}\n`).join('')}`
}

/** The declarations that others lead to and that are not among them, in any number of steps. */
function hiddenBehind(one: Package, declarations: readonly Declaration[]): readonly Declaration[] {
  const open = [...new Set(declarations)]
  const hidden = new Set<Declaration>()
  for (let next = open.pop(); next; next = open.pop()) {
    for (const found of mentionedBy(one, next)) {
      if (hidden.has(found) || declarations.includes(found)) continue
      hidden.add(found)
      open.push(found)
    }
  }
  return [...hidden]
}
