import { expect, test } from 'vitest'
import { checkDocComments } from '../../src/checks/check-doc-comments.ts'
import { apiPages } from '../../src/documents/api-pages.ts'
import { buildHouse } from '../build-house.ts'

const source = `
/**
 * Returns a thing.
 *
 * @param options.size how big, in bytes; 8 by default
 * @throws TypeError when it is
 *   too big
 * @example
 * import { createThing } from '@latchkey/one'
 * createThing()
 */
export async function createThing(options: { size?: number } = {}): Promise<Thing> {
  return { size: options.size ?? 8 }
}

/** What there is. */
export interface Thing { readonly size: number }

export interface Tool {
  /** How big. */
  readonly size: number
}

/** Its absence. */
export class ThingError extends Error {
  readonly code: string = 'GONE'
  readonly #secret = 1
  constructor(message: string) { super(message) }
  get secret(): number { return this.#secret }
}

/** The way out. */
export const acceptAnything: unique symbol = Symbol('acceptAnything')
`
const path = 'packages/one/src/thing.ts'
const index = {
  'packages/one/src/index.ts':
    "export { acceptAnything, createThing, type Thing, ThingError, type Tool } from './thing.ts'\n",
}

test('a package whose names are explained breaks no rule', () => {
  expect(checkDocComments(buildHouse(index, { [path]: source }))).toEqual([])
})

test.each<[rule: string, from: string, to: string, violation: string]>([
  [
    'a function without an example',
    ' * @example',
    ' * For example:',
    `${path}: the doc comment of createThing has no @example`,
  ],
  ['a class without a comment', '/** Its absence. */', '', `${path}: ThingError has no doc comment`],
  ['a constant with an empty comment', '/** The way out. */', '/** */', `${path}: acceptAnything has no doc comment`],
  [
    'a comment of the usual kind',
    '/** The way out. */',
    '/* The way out. */',
    `${path}: acceptAnything has no doc comment`,
  ],
  ['a type with fields and no comment', '/** What there is. */', '', `${path}: Thing is not explained`],
  [
    'a name that is declared elsewhere',
    'export interface Tool',
    'interface Tool',
    '@latchkey/one: Tool has no declaration of its own',
  ],
])('%s is named', (_rule, from, to, violation) => {
  expect(source).toContain(from)
  expect(checkDocComments(buildHouse(index, { [path]: source.replace(from, to) }))).toEqual([violation])
})

test('the reference shows each public name with its declaration and its comment', () => {
  const pages = apiPages(buildHouse(index, { [path]: source }))
  expect([...pages.keys()]).toEqual(['README.md', 'one.md'])
  expect(pages.get('README.md')).toContain('| [@latchkey/one](one.md) | A package that breaks no rule of the house |')
  expect(pages.get('one.md')).toBe(`# @latchkey/one

A package that breaks no rule of the house.

## @latchkey/one

### createThing

\`\`\`ts
function createThing(options: { size?: number } = {}): Promise<Thing>
\`\`\`

Returns a thing.

- \`options.size\`: how big, in bytes; 8 by default
- throws: TypeError when it is too big

\`\`\`ts
import { createThing } from '@latchkey/one'
createThing()
\`\`\`

### ThingError

\`\`\`ts
class ThingError extends Error {
  readonly code: string
  constructor(message: string)
  get secret(): number
}
\`\`\`

Its absence.

### acceptAnything

\`\`\`ts
const acceptAnything: unique symbol
\`\`\`

The way out.

### Thing

\`\`\`ts
interface Thing { readonly size: number }
\`\`\`

What there is.

### Tool

\`\`\`ts
interface Tool {
  /** How big. */
  readonly size: number
}
\`\`\`
`)
})
