import { expect, test } from 'vitest'
import { apiText } from '../../src/documents/api-text.ts'
import { buildHouse, entry, type Files, goodPackage } from '../build-house.ts'

const exports = { '.': entry('index'), './node': entry('node'), './package.json': './package.json' }
const good: Files = {
  ...goodPackage('one', { exports }),
  'packages/one/src/index.ts':
    "export { createThing, type Thing, type ThingOptions } from './thing.ts'\nexport { ThingError } from './errors.ts'\n",
  'packages/one/src/node.ts':
    "export { listen, type Address } from './listen.ts'\nexport type { ThingError } from './errors.ts'",
  'packages/one/src/thing.ts': `
    import type { Size as Measure } from './size.ts'
    import type { Other } from '@latchkey/other'
    /** Options of a thing. */
    export interface ThingOptions extends Base {
      /** In seconds. */
      readonly ttlSeconds?: number // whole ones
      readonly size: Measure
      readonly parts: { readonly left: string
        readonly right: Other }
      close(): Promise<void>
    }
    interface Base {
      readonly now?: () => number
    }
    export type Thing = 'small'
      | 'big'
    /** Creates a thing. */
    export function createThing<const Name extends string>(
      name: Name,
      { ttlSeconds = 60, size }: ThingOptions,
      retries: number = 3,
      ...rest: readonly string[]
    ): Thing {
      return retries > 0 ? 'small' : 'big'
    }
  `,
  'packages/one/src/size.ts': 'export type Size = { readonly width: number; readonly height: number }',
  'packages/one/src/errors.ts': `
    export class ThingError extends Error {
      override readonly name = 'ThingError'
      readonly code: 'BROKEN' = 'BROKEN'
      #secret = 1
      private hidden = 2
      constructor(message: string, { cause = null }: { cause?: unknown } = {}) { super(message) }
    }
  `,
  'packages/one/src/listen.ts': `
    export type Address = \`\${string}:\${number}\`
    export const listen: (address: Address) => void = () => {}
  `,
}
const textOf = (changes: Files) => buildHouse(good, changes).packages.map(apiText).join('\n')
const changed = (file: string, from: string, to: string) => {
  const path = `packages/one/src/${file}`
  expect(good[path]).toContain(from)
  return textOf({ [path]: String(good[path]).replace(from, to) })
}

test('the text has the signatures of each subpath export, and of the types that they use', () => {
  expect(textOf({})).toBe(`@latchkey/one
  type Thing
    'big'
    'small'
  class ThingError extends Error
    constructor(message: string, options?: { cause?: unknown })
    override readonly name = 'ThingError'
    readonly code: 'BROKEN'
  interface ThingOptions extends Base
    close(): Promise<void>
    readonly parts: { readonly left: string; readonly right: Other }
    readonly size: Measure
    readonly ttlSeconds?: number
  function createThing<const Name extends string>(name: Name, options: ThingOptions, retries?: number, ...rest: readonly string[]): Thing

@latchkey/one/node
  type Address = \`\${string}:\${number}\`
  type of class ThingError extends Error
    constructor(message: string, options?: { cause?: unknown })
    override readonly name = 'ThingError'
    readonly code: 'BROKEN'
  const listen: (address: Address) => void

not exported
  interface Base
    readonly now?: () => number
  type Size
    readonly height: number
    readonly width: number
`)
})

test.each<[change: string, file: string, from: string, to: string]>([
  ['a member whose type changes', 'thing.ts', 'readonly ttlSeconds?: number', 'readonly ttlSeconds?: string'],
  ['a member that is no longer optional', 'thing.ts', 'ttlSeconds?: number', 'ttlSeconds: number'],
  ['a member that may be written', 'thing.ts', 'readonly size', 'size'],
  ['a member that is gone', 'thing.ts', 'close(): Promise<void>', ''],
  ['a member of a member', 'thing.ts', 'readonly left: string', 'readonly left?: string'],
  ['a member of a type that is not exported', 'thing.ts', 'now?: () => number', 'now?: () => string'],
  ['a member of a type of another file', 'size.ts', 'width: number', 'width: string'],
  ['a member of a union', 'thing.ts', "'big'", "'huge'"],
  ['a parameter that must be given', 'thing.ts', 'retries: number = 3', 'retries: number'],
  ['the type of a parameter', 'thing.ts', 'name: Name', 'name: Name | null'],
  ['a bound of a type parameter', 'thing.ts', 'Name extends string', 'Name extends number'],
  ['what a function returns', 'thing.ts', '): Thing {', '): Thing | null {'],
  ['the type of a constant', 'listen.ts', '=> void =', '=> number ='],
  ['a parameter of a constructor', 'errors.ts', 'message: string', 'message?: string'],
  ['a field of a class', 'errors.ts', "readonly code: 'BROKEN'", 'readonly code: string'],
  ['a class that becomes a type', 'index.ts', '{ ThingError }', '{ type ThingError }'],
])('%s changes the text', (_change, file, from, to) => {
  expect(changed(file, from, to)).not.toBe(textOf({}))
})

test.each<[change: string, file: string, from: string, to: string]>([
  ['a comment', 'thing.ts', '/** In seconds. */', '/** How long it lives. */'],
  ['a comment at the end of a line', 'thing.ts', '// whole ones', ''],
  [
    'the order of members',
    'size.ts',
    'readonly width: number; readonly height: number',
    'readonly height: number; readonly width: number',
  ],
  ['a default', 'thing.ts', 'ttlSeconds = 60', 'ttlSeconds = 90'],
  ['a default of a parameter', 'thing.ts', 'retries: number = 3', 'retries: number = 5'],
  ['the name of a destructured option', 'thing.ts', 'size }: ThingOptions', 'size: width }: ThingOptions'],
  ['a private field', 'errors.ts', 'private hidden = 2', 'private concealed = 2'],
  ['where a line breaks', 'thing.ts', "'small'\n      | 'big'", "'small' | 'big'"],
  ['where parameters break', 'thing.ts', '...rest: readonly string[]\n    )', '...rest: readonly string[])'],
  ['a body', 'thing.ts', "'small' : 'big'", "'big' : 'small'"],
])('%s changes nothing', (_change, file, from, to) => {
  expect(changed(file, from, to)).toBe(textOf({}))
})

const grouped: Files = {
  'packages/one/src/thing.ts': `
    import type { Clock, Inline, Limits } from './groups.ts'
    export interface ThingOptions<P extends Policy> {
      readonly limits?: Inline<Limits<P>>
      readonly clock: Inline<Clock>
    }
    interface Policy {
      readonly roles: readonly string[]
    }
    export type Thing = 'small'
    export function createThing(options: ThingOptions<Policy>): Thing { return 'small' }
  `,
  'packages/one/src/groups.ts': `
    import type { Other } from '@latchkey/other'
    import type { Unit } from './unit.ts'
    export type Inline<Group> = { readonly [Name in keyof Group]: Group[Name] } & {}
    export interface Limits<P extends Policy>
      extends Pick<Other, 'max'> {
      /** In seconds. */
      readonly policy?: P
      readonly clock?: Inline<Clock>
    }
    export interface Clock {
      readonly unit: Unit
    }
  `,
  'packages/one/src/unit.ts': "export type Unit = 'ms' | 's'",
}

test('the text has the members of inlined interfaces in their place', () => {
  const text = textOf(grouped)
  expect(text).toContain('    readonly clock: { readonly unit: Unit }\n')
  expect(text).toContain(
    "    readonly limits?: Pick<Other, 'max'> & { readonly policy?: P; readonly clock?: { readonly unit: Unit } }\n",
  )
  expect(text.split('\nnot exported\n')[1]).toBe(`  interface Policy
    readonly roles: readonly string[]
  type Unit
    'ms'
    's'
`)
})

test('a type of members and more has a line for each', () => {
  const text = textOf({
    'packages/one/src/thing.ts': `
    export type ThingOptions = { readonly size: number; readonly name: string } & ({ readonly a: 1 } | { readonly b: 2 })
    export type Thing = 'small'
    export function createThing(options: ThingOptions): Thing { return 'small' }
  `,
  })
  expect(text).toContain(`  type ThingOptions
    ({ readonly a: 1 } | { readonly b: 2 })
    readonly name: string
    readonly size: number
`)
})

test('inlining what is no interface, or with other type parameters, throws', () => {
  const inlining = (text: string) => () =>
    textOf({
      ...grouped,
      'packages/one/src/thing.ts': String(grouped['packages/one/src/thing.ts']).replace('Inline<Clock>', text),
    })
  expect(inlining('Inline<Unit>')).toThrow('ThingOptions can inline interfaces of its package only, not Unit')
  expect(inlining('Inline<Limits<Policy>>')).toThrow(
    'ThingOptions must inline Limits<Policy> with the names of its type',
  )
})
