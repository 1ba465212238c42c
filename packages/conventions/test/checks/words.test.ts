import { expect, test } from 'vitest'
import { checkWords } from '../../src/checks/check-words.ts'
import { buildHouse, house } from '../build-house.ts'

const folders = ['packages/conventions/', 'scripts/', '.ci/', 'CONTRIBUTING.md', 'biome.jsonc', 'knip.json']

test('the rules, the scripts and the page for contributors are written in plain English', () => {
  expect(checkWords(house, folders)).toEqual([])
})

test.each([
  [
    'a doc comment',
    'packages/one/src/read.ts',
    '\n/** Gives a token. */',
    ':2: “Gives”: write “Returns …” or “Creates …”',
  ],
  ['a test', 'packages/one/test/read.test.ts', "test('a list that nobody reads')", ':1: “nobody”: write who does not:'],
  ['a document', 'docs/page.md', '# Page\n\nFor whoever reads it', ':3: “whoever”: write who it is:'],
  ['a script', 'scripts/run.mjs', '// Tells the version', ':1: “Tells”: write “Returns whether …”'],
  ['a default', 'packages/one/src/read.ts', '/** 8 unless told */', ':1: “unless told”: write “by default”'],
  ['two words', 'docs/page.md', 'Somebody has it at hand', ':1: “at hand”: write “available”'],
])('%s with such a word is named with what to write', (_kind, path, text, violation) => {
  expect(
    checkWords(buildHouse({ [path]: text })).map((found) => found.slice(0, path.length + violation.length)),
  ).toContain(`${path}${violation}`)
})

test.each([
  ['a longer word', 'packages/one/src/read.ts', '// tells apart, given, nobodies'],
  ['the name of a changelog', 'packages/one/CHANGELOG.md', 'Gives a token'],
  ['a changeset', '.changeset/one.md', 'Nobody waits'],
])('%s is not named', (_kind, path, text) => {
  expect(checkWords(buildHouse({ [path]: text }))).toEqual([])
})
