import { expect, test } from 'vitest'
import { errorPage } from '../../src/documents/error-page.ts'
import { optionPages } from '../../src/documents/option-pages.ts'
import { buildHouse, type Files } from '../build-house.ts'

const groups = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
const house = (thing: string, rest: Files = {}) =>
  buildHouse({
    'packages/one/src/index.ts':
      "export { createThing, type ThingOptions } from './thing.ts'\nexport { type OneErrorCode } from './errors.ts'\n",
    'packages/one/src/thing.ts': `${thing}\nexport function createThing(options: ThingOptions): object { return options }\n`,
    'packages/one/src/errors.ts': `
      /**
       * Why it failed:
       * - \`ONE_LOST\` (404): it is gone, and
       *   nothing finds it.
       * - \`ONE_TIRED\`: it rests.
       */
      export type OneErrorCode = 'ONE_LOST' | 'ONE_TIRED'
    `,
    ...rest,
  })

test('a table of options has the name, type, default and meaning of each option, and groups with their alternatives below', () => {
  const pages = optionPages(
    house(`
      /** What a thing takes. */
      export interface ThingOptions {
        /** How long it lives. @default 60 */
        readonly ttlSeconds?: number
        /** Where it lies. */
        readonly place: 'left' | 'right'
        readonly never?: never
        /** Called with a long list of parameters. */
        readonly onMove?: (from: { readonly place: string; readonly at: number }, to: { readonly place: string; readonly at: number }) => void
        readonly parts?: {
          /**
           * How many.
           * @default 2
           */
          readonly count?: number // whole ones
        } | 'none'
      }
    `),
  )
  expect(pages.get('one.md')).toBe(`# Options of \`@latchkey/one\`

## \`createThing\`

What a thing takes.

| Option | Type | Default | Meaning |
| --- | --- | --- | --- |
| \`ttlSeconds\` | \`number\` | 60 | How long it lives. |
| \`place\` | \`'left' \\| 'right'\` | required | Where it lies. |
| \`onMove\` | \`(from, to) => void\` |  | Called with a long list of parameters. |
| \`parts\` | a group, or \`'none'\` |  |  |

### \`parts\` of \`createThing\`

| Option | Type | Default | Meaning |
| --- | --- | --- | --- |
| \`parts\` | a group, or \`'none'\` |  |  |
| \`parts.count\` | \`number\` | 2 | How many. |
`)
})

test('options of more than eight groups have a page for each group', () => {
  const members = groups.map((name) => `/** All of ${name}. */ readonly ${name}?: { readonly size: number }`)
  const pages = optionPages(house(`export interface ThingOptions {\n${members.join('\n')}\n}`))
  expect([...pages.keys()]).toEqual(['create-thing.md', ...groups.map((name) => `create-thing-${name}.md`)])
  expect(pages.get('create-thing-a.md')).toBe(
    '# `a` of `createThing`\n\nAll of a.\n\n| Option | Type | Default | Meaning |\n| --- | --- | --- | --- |\n| `a.size` | `number` | required |  |\n',
  )
})

test('the page of errors has every code of a package with its meaning', () => {
  expect(errorPage(house('export interface ThingOptions {}'))).toContain(`## \`@latchkey/one\`

| Code | Meaning |
| --- | --- |
| \`ONE_LOST\` | it is gone, and nothing finds it. (status 404) |
| \`ONE_TIRED\` | it rests. |
`)
})

test('the page of errors has what to do if the comment is a table', () => {
  const errors =
    "/**\n * Codes.\n *\n * | Code | Meaning | What to do |\n * |---|---|---|\n * | `ONE_LOST` | it is gone | look again |\n */\nexport type OneErrorCode = 'ONE_LOST'\n"
  expect(errorPage(house('export interface ThingOptions {}', { 'packages/one/src/errors.ts': errors }))).toContain(
    '| Code | Meaning | What to do |\n| --- | --- | --- |\n| `ONE_LOST` | it is gone | look again |\n',
  )
})
