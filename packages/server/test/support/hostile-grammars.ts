import fc from 'fast-check'
import { mutated } from './fuzzing.ts'

/** Headers of pairs, whose names and values are almost those of the cookie, and then changed. */
export function cookieHeaders(name: string): fc.Arbitrary<string> {
  const names = fc.constantFrom(
    name,
    name,
    name,
    name.toLowerCase(),
    ` ${name}`,
    `${name} `,
    `"${name}"`,
    'theme',
    '',
    `${name}2`,
  )
  const values = fc.constantFrom('s_abc.def', 'x', '', '"quoted"', 'a=b', 'a b', '%41', 'ä', '\0', 'v'.repeat(5_000))
  const pair = fc.tuple(names, fc.constantFrom('=', '=', '=', '', '=='), values).map((parts) => parts.join(''))
  const separators = fc.constantFrom('; ', '; ', ';', ' ;', ', ', '&', '\r\n')
  const pairs = fc.array(fc.tuple(pair, separators), { minLength: 1, maxLength: 6 })
  const whole = pairs.map((all) => all.map(([text, separator], at) => (at === 0 ? text : separator + text)).join(''))
  const changed = mutated(
    [`${name}=s_abc.def`, `theme=dark; ${name}=s_abc.def; lang=en`],
    [';', '=', ' ', '"', `${name}=x; `, '\t', 'É'],
  )
  return fc.oneof(whole, changed)
}

const value = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom('1', '-0.5e9', '"text"', '"""block"""', 'true', 'null', 'ENUM', '$id', '"\\u{1F600}"', '""'),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }).map((all) => `[${all.join(' ')}]`),
  object: fc
    .array(fc.tuple(fc.constantFrom('text', 'tags', 'not', 'first'), tie('value')), { maxLength: 3 })
    .map((all) => `{${all.map(([name, given]) => `${name}: ${given}`).join(', ')}}`),
})).value

const directives = fc.oneof(
  { weight: 6, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom(' @include(if: true)', ' @skip(if: $id)', ' @nothing', ' @skip') },
)

const selection = fc.letrec<{ set: string; field: string; spread: string }>((tie) => ({
  set: fc
    .array(fc.oneof({ maxDepth: 6, depthSize: 'small' }, tie('field'), tie('field'), tie('spread')), {
      minLength: 1,
      maxLength: 4,
    })
    .map((all) => `{ ${all.join(' ')} }`),
  field: fc
    .tuple(
      fc.constantFrom('', '', 'alias: ', '__typename: '),
      fc.oneof(
        { maxDepth: 6, depthSize: 'small' },
        fc.constantFrom('id', 'text', 'name', '__typename', 'missing'),
        fc
          .tuple(
            fc.constantFrom('notes', 'found', 'node', 'next', 'author', 'write', '__schema'),
            argumentList(),
            tie('set'),
          )
          .map((parts) => parts.join('')),
      ),
      directives,
    )
    .map((parts) => parts.join('')),
  spread: fc.oneof(
    { maxDepth: 6, depthSize: 'small' },
    fc.constantFrom('...A', '...B', '...Missing'),
    fc
      .tuple(fc.constantFrom('... on Note ', '... on Found ', '... ', '... on Filter '), tie('set'))
      .map((p) => p.join('')),
  ),
})).set

function argumentList(): fc.Arbitrary<string> {
  const one = fc
    .tuple(fc.constantFrom('first', 'filter', 'id', 'text', 'other'), value)
    .map(([name, given]) => `${name}: ${given}`)
  return fc.array(one, { maxLength: 2 }).map((all) => (all.length === 0 ? '' : `(${all.join(', ')}) `))
}

const operations = fc
  .tuple(
    fc.constantFrom('', 'query Q ', 'mutation ', 'subscription ', 'query ($id: ID! = 1, $f: [Filter]) '),
    selection,
  )
  .map((parts) => parts.join(''))
const fragments = fc
  .tuple(fc.constantFrom('fragment A on Note ', 'fragment B on Query ', 'fragment A on Nothing '), selection)
  .map((parts) => parts.join(''))
const written = fc
  .array(fc.oneof({ weight: 3, arbitrary: operations }, fragments), { minLength: 1, maxLength: 3 })
  .map((all) => all.join('\n'))

const valid = [
  '{ notes { id text next(first: 2) { author { name } } } }',
  'query Q($f: Filter = { not: { tags: ["a"] } }) { notes(filter: $f) { ...A } } fragment A on Note { id }',
  'mutation { write(text: """block "quoted" \\""" text""") { id } }',
  '{ found { ... on Note { id } ... on Author { name } } node(id: "1") { id __typename } }',
]
const tokens = [
  '{',
  '}',
  '(',
  ')',
  '[',
  '"',
  '"""',
  '...',
  '$',
  '@',
  '#',
  '\uFEFF',
  '\0',
  '\ud800',
  '{a'.repeat(50),
  '[[[['.repeat(20),
]

/** Documents of a grammar that knows the names of the schema of notes, and valid ones that were changed. */
export const documents: fc.Arbitrary<string> = fc.oneof(written, mutated(valid, tokens))

const params = valid.map((query) => JSON.stringify({ query, variables: { f: null, id: '1' }, operationName: null }))
const bodies = [
  ...params,
  `[${params[0]},${params[1]}]`,
  JSON.stringify({ query: valid[0], extensions: { persistedQuery: {} } }),
]
const json = [
  '{',
  '[',
  '"',
  '\\',
  '\\u0000',
  '1e999',
  '__proto__',
  '"query":',
  ',',
  ':',
  'null',
  '\xff',
  '\xc3\x28',
  '[['.repeat(100),
]

/** Bodies of requests, as bytes: valid ones that were changed, and valid JSON around any document. */
export const jsonBodies: fc.Arbitrary<Buffer> = fc.oneof(
  mutated(bodies, json).map((text) => Buffer.from(text, 'latin1')),
  fc
    .tuple(documents, fc.jsonValue({ maxDepth: 3 }))
    .map(([query, variables]) => Buffer.from(JSON.stringify({ query, variables }))),
  fc.jsonValue({ maxDepth: 4 }).map((any) => Buffer.from(JSON.stringify(any))),
)
